# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_opmx_global_optspecs
    string join \n v/verbose q/quiet color= h/help V/version
end

function __fish_opmx_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_opmx_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_opmx_using_subcommand
    set -l cmd (__fish_opmx_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c opmx -n "__fish_opmx_needs_command" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_needs_command" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_needs_command" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_needs_command" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_needs_command" -s V -l version -d 'Print version'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "registry" -d 'Serve the database file of an index'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "completion" -d 'Print the completion script of a shell'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "man" -d 'Write the manual, one page for each command'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from serve help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from serve help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from serve help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from serve help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from serve help" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from serve help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l timeout-seconds -d 'End after this many seconds, or never: infinite' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l address -d 'Address to listen on; without it, all addresses of the machine' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s p -l port -d 'Port to listen on; 0 takes a free one' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s t -l termination-log -d 'File for the reason, should the server fail; a cluster shows it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand completion" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand completion" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand completion" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand completion" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand man" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand man" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand man" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand man" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from registry completion man help" -f -a "registry" -d 'Serve the database file of an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from registry completion man help" -f -a "completion" -d 'Print the completion script of a shell'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from registry completion man help" -f -a "man" -d 'Write the manual, one page for each command'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from registry completion man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
