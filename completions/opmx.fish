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
complete -c opmx -n "__fish_opmx_needs_command" -f -a "bundle" -d 'Begin, look at and build bundles: one operator version each'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "catalog" -d 'Change file-based catalogs, and build their images'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "index" -d 'Change and look at indexes, the images that OLM reads bundles from'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "registry" -d 'Change and serve the database file of an index'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "resolve" -d 'Say what OLM would install or update to, with no cluster'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "serve" -d 'Serve an index or a file-based catalog to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "render" -d 'Write indexes, catalogs and bundles as a file-based catalog'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "migrate" -d 'Write an index or a catalog as a folder, with a file for each package'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "validate" -d 'Check a file-based catalog: its documents, its channels, its bundles'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "init" -d 'Begin a package of a file-based catalog: write its olm.package document'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "generate" -d 'Write what other tools need for a file-based catalog'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "plan" -d 'Show the InstallPlan of a bundle, and how it would end on a cluster'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "permissions" -d 'Review the permissions that a bundle needs to be installed'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "upgrade-check" -d 'Say whether OLM would hold back the upgrade of an operator'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "operator" -d 'Show what a cluster has of an operator, in one resource'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "alpha" -d 'Templates of file-based catalogs, where opm has them'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "completion" -d 'Print the completion script of a shell'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "man" -d 'Write the manual, one page for each command'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "init" -d 'Begin a bundle: write the metadata that raw manifests need'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "generate" -d 'Write annotations.yaml and bundle.Dockerfile, as opm does'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "synthesize" -d 'Print the ClusterServiceVersion of a bundle of plain manifests'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "build" -d 'Build the image of a bundle, with no container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "convert" -d 'Convert a bundle to the other media type'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "inspect" -d 'Show what is in a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "unpack" -d 'Write the files of a bundle image to a folder'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "schema" -d 'Print the JSON Schema of metadata/olm.yaml, of annotations in its place, of findings, or of policies'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "update" -d 'Update the folder of a bundle to the next release'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "validate" -d 'Check bundles, and say what to change where'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "rules" -d 'List the rules of bundles, or explain one'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l from -d 'Copy the manifests from this folder or file, or from standard input (-)' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s p -l package -d 'Package that the bundle belongs to' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l version -d 'Version of the operator, such as 1.2.3' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s c -l channels -d 'Channels that the bundle is offered in, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s e -l default -d 'Channel that users get who name none; without it, the first of several channels' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l overwrite -d 'Replace files that are there already'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l expand-wildcards -d 'Name the resources and verbs that wildcards in RBAC stand for, where they are the bundle\'s own'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s d -l directory -d 'Folder of the manifests, as opm takes it; metadata/ stands beside it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s p -l package -d 'Package that the bundle belongs to' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s c -l channels -d 'Channels that the bundle is offered in, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s e -l default -d 'Channel that users get who name none' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s u -l output-dir -d 'Copy manifests/ and metadata/ into this folder, and refer to them there' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s o -l output -d 'Form of the result; an explanation is a table unless a form is asked for' -r -f -a "yaml\t'As people write it'
json\t'As programs read it'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l explain -d 'Print for each inferred field the object, file and line that it comes from'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l expand-wildcards -d 'Name the resources and verbs that wildcards in RBAC stand for, where they are the bundle\'s own'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s d -l directory -d 'Folder of the manifests, as opm takes it; metadata/ stands beside it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s t -l tag -d 'Where the image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l version -d 'Version of the operator, in place of the one in the bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l replaces -d 'Name of the bundle that this one replaces, in place of the one in the bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l image-map -d 'Write other images in the place of those that this file names' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l pins-out -d 'Write to this file which images became others, in lines that --image-map reads' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l related-images -d 'Add images to the related ones: mentioned or from-env' -r -f -a "mentioned\t'Those that are mentioned'
from-env\t'Those of variables'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l media-type -d 'Media type of the image: registry+v1 or k8s+v1' -r -f -a "registry+v1\t''
k8s+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s p -l package -d 'Package that the bundle belongs to' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s c -l channels -d 'Channels that the bundle is offered in, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s e -l default -d 'Channel that users get who name none' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s u -l output-dir -d 'Copy manifests/ and metadata/ into this folder before building' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l pin -d 'Write digests for the tags of images, as the registries have them now'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l expand-wildcards -d 'Name the resources and verbs that wildcards in RBAC stand for, where they are the bundle\'s own'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l no-validate -d 'Build it even if it has errors'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s o -l overwrite -d 'Replace a metadata/annotations.yaml that says something else than the options'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l to -d 'Media type of the new bundle: registry+v1 or k8s+v1' -r -f -a "registry+v1\t''
k8s+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l expand-wildcards -d 'Name the resources and verbs that wildcards in RBAC stand for, where they are the bundle\'s own'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s o -l out -d 'Folder for manifests/ and metadata/; it is made where it is absent' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l skip-validation -d 'Write the files even if the bundle has errors'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -l annotations -d 'The same as OF annotations'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l from -d 'The manifests of the next release: a folder, a file, or standard input (-)' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l version -d 'Version of the operator, such as 1.2.3 [default: the tag of its image]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l replaces -d 'Name of the bundle that this one replaces [default: the bundle in DIR]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l keep -d 'Keep this manifest although the new ones do not include it; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l dry-run -d 'Print what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l expand-wildcards -d 'Name the resources and verbs that wildcards in RBAC stand for, where they are the bundle\'s own'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l suite -d 'Rules to add: all, operatorhub, good-practices, deprecated-apis, objects, community, capabilities, categories, multiarch or konflux' -r -f -a "all\t''
operatorhub\t''
good-practices\t''
deprecated-apis\t''
removed-apis\t''
objects\t''
community\t''
multiarch\t''
konflux\t''
capabilities\t''
categories\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l as -d 'Judge exactly as another program does, also where it is wrong' -r -f -a "opm\t'opm alpha bundle validate'
operator-sdk\t'operator-sdk bundle validate'
api\t'All validators of the Operator Framework\'s library'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l k8s-version -d 'Make errors of the APIs that this version of Kubernetes no longer serves' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l categories -d 'File with the categories to allow, {"categories": […]}, in place of the usual ones' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l index-dockerfile -d 'Dockerfile of the index that the bundles are meant for, for the suite community' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l allowed-registries -d 'Registries, or repositories and folders of them, that images may be from, for the suite konflux' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l policy -d 'File that says which kinds, permissions, registries and catalogs are allowed; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l only -d 'Report no other rule than this one' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person: each finding with the line that it is about'
json\t'JSON, with stable field names'
yaml\t'The same as YAML'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations of a workflow'
junit\t'JUnit XML, for test reports'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l fix -d 'Mend in the files of the folders what needs no decision, and report what is left'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l dry-run -d 'With --fix, change nothing and print the changes as a diff'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "init" -d 'Begin a bundle: write the metadata that raw manifests need'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "generate" -d 'Write annotations.yaml and bundle.Dockerfile, as opm does'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "synthesize" -d 'Print the ClusterServiceVersion of a bundle of plain manifests'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "build" -d 'Build the image of a bundle, with no container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "convert" -d 'Convert a bundle to the other media type'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "inspect" -d 'Show what is in a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "unpack" -d 'Write the files of a bundle image to a folder'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "schema" -d 'Print the JSON Schema of metadata/olm.yaml, of annotations in its place, of findings, or of policies'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "update" -d 'Update the folder of a bundle to the next release'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "validate" -d 'Check bundles, and say what to change where'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "rules" -d 'List the rules of bundles, or explain one'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "add" -d 'Add bundles to channels of a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "rm" -d 'Remove packages, channels or bundles from a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "prune" -d 'Keep a part of a catalog, and remove the rest'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "truncate" -d 'Remove the old versions of a package'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "deprecate" -d 'Deprecate a package, a channel or a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "undeprecate" -d 'Take back a deprecation'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "release" -d 'Release a version into all catalogs of a community repository'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "lifecycle" -d 'Say until when versions of a package are maintained, and on which platforms they run'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "channel" -d 'Change channels of a package as a whole'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "merge" -d 'Merge catalogs into a new one'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "fmt" -d 'Format the files of catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "build" -d 'Build the image of a file-based catalog, with no container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s b -l bundle -d 'Bundles to add: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, or folders; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l channel -d 'Channels to add them to [default: those of their annotations]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l mode -d 'How a bundle takes its place: replaces, semver or semver-skippatch' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l replaces -d 'Bundle that the new one replaces in these channels [default: what its ClusterServiceVersion says]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l skips -d 'Bundles that it skips in these channels [default: what its ClusterServiceVersion says]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l skip-range -d 'Range of versions that it skips in these channels [default: what its ClusterServiceVersion says]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l default-channel -d 'Default channel of the package; a new package with several channels needs one' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l migrate-level -d 'Replace old forms by newer ones, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Manifests of bundles that have an image give way to olm.csv.metadata'
all\t'Everything that there is'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l overwrite -d 'Replace a bundle of the same name that has another content or other edges'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l required-only -d 'Leave out dependencies that are recommended or optional'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l default-channel -d 'New default channel, if the current one is removed' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s p -l package -d 'What to keep: PACKAGE or PACKAGE=CHANNEL,CHANNEL, followed by the versions to keep: @heads, @all or a range such as @>=1.2.0; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l range-style -d 'How ranges of versions are written' -r -f -a "olm\t'As OLM reads them: terms separated by blanks, and ||'
masterminds\t'As image set configurations and Helm charts have them: also commas, ^ and ~'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l from -d 'Keep what leads a cluster from this version to the heads of the channels, by the shortest way' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l default-channel -d 'New default channel, if the current one is removed' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l with-dependencies -d 'Also packages that those could need, by dependencies with these intents; without INTENTS, with any' -r -f -a "required\t'It cannot be installed without it'
recommended\t'It is installed with it where that is possible'
optional\t'It makes use of it where it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l without-recommended -d 'Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l with-optional -d 'Take this package where it can be, although it is only optional to a bundle; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l below -d 'Lowest version to keep' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l default-channel -d 'New default channel, if the current one is removed' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s m -l message -d 'Why, and what to choose in its place, as Markdown' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s b -l bundle -d 'Bundle of the version, as the templates are to name it' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l overwrite -d 'Replace what is there of the version, and remove from the catalogs what their templates do not have'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l required-only -d 'Leave out dependencies that are recommended or optional'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l phase -d 'Phase of its maintenance, such as Maintenance=2027-01-01..2027-06-30; given once for each phase, in their order' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l platform -d 'Platform on which it runs, with all of its versions, such as openshift=4.20,4.21' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s f -l file -d 'Take all versions from a file, or from - for standard input, which holds the document as it stands in a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l remove -d 'Say nothing more about the version, or about any where none is named'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "set-default" -d 'Make a channel the default one'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "rename" -d 'Give a channel another name'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "copy" -d 'Make a channel with the entries of another one'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s o -l output -d 'Folder for the new catalog' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l prefer -d 'Catalog that is right if they differ' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l check -d 'Write nothing; print the names of the files that would change, and exit with status 3 if there are any'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l dry-run -d 'Print what would change as a diff, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s t -l tag -d 'Where the image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l label -d 'Set this label, in addition to the one that says where the catalog is; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l no-binary -d 'Put no program into the image'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add bundles to channels of a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove packages, channels or bundles from a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Keep a part of a catalog, and remove the rest'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "truncate" -d 'Remove the old versions of a package'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "deprecate" -d 'Deprecate a package, a channel or a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "undeprecate" -d 'Take back a deprecation'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "release" -d 'Release a version into all catalogs of a community repository'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "lifecycle" -d 'Say until when versions of a package are maintained, and on which platforms they run'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "channel" -d 'Change channels of a package as a whole'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "merge" -d 'Merge catalogs into a new one'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "fmt" -d 'Format the files of catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "build" -d 'Build the image of a file-based catalog, with no container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "add" -d 'Add bundles to an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "rm" -d 'Remove packages from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "prune" -d 'Keep some packages and remove all others of an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "prune-stranded" -d 'Remove the bundles that no channel has from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "promote" -d 'Publish bundles of an index in further channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "deprecatetruncate" -d 'Deprecate bundles and cut their channels off below them'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "extract" -d 'Write some packages of an index, and what they need, as an index of their own'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "export" -d 'Write the packages of an index as package manifests'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "from-fbc" -d 'Make an index with a database of a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "list" -d 'List what is in an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "graph" -d 'Draw the update graph: which bundle may be updated to which'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "page" -d 'Write a website that shows an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "diff" -d 'Say what differs between two indexes'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "check" -d 'Check an index: its channels, its rows, and the sizes of what is in it'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s b -l bundles -d 'Bundles, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s f -l from-index -d 'Index to begin with: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l bundles-from -d 'Add the bundles in this file, or on standard input (-), one on each line' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l mode -d 'How a new bundle takes its place: replaces, semver or semver-skippatch' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l if-exists -d 'What to do with a bundle that the index holds already: error, or skip it where content and image are the same' -r -f -a "error\t''
skip\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l allow-media-types -d 'Refuse bundles of other media types than these, registry+v1 and k8s+v1: what the clusters of the index can read' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l record-as -d 'Reference to store for the one bundle that is added, where it will be published' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l permissive -d 'Add the bundles that can be fetched and read, and fail at the end because of the others'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l overwrite-latest -d 'Let a bundle take the place of one with its name that is the last of its channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l enable-alpha -d 'Take bundles that stand in for others by the annotation olm.substitutesFor'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l by-reference -d 'Store the reference of a k8s+v1 bundle in place of its content, for an OLM that knows this media type'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s o -l operators -d 'The packages to remove, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s f -l from-index -d 'Index to begin with: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l permissive -d 'Pass over packages that the index does not have'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s p -l packages -d 'The packages to keep, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l with-dependencies -d 'Also packages that those could need, by dependencies with these intents; without INTENTS, with any' -r -f -a "required\t'It cannot be installed without it'
recommended\t'It is installed with it where that is possible'
optional\t'It makes use of it where it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l without-recommended -d 'Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l with-optional -d 'Take this package where it can be, although it is only optional to a bundle; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s f -l from-index -d 'Index to begin with: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l permissive -d 'Pass over packages that the index does not have'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s f -l from-index -d 'Index to begin with: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s c -l channel -d 'Channels to publish them in, separated by commas; those that do not exist yet are made' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l mode -d 'How bundles take their places in the channels' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s f -l from-index -d 'Index to begin with: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s b -l bundles -d 'The bundles, separated by commas: their names, or their images as the index stores them' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s f -l from-index -d 'Index to begin with: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l permissive -d 'Pass over bundles that the index does not have'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l allow-package-removal -d 'Take a package out where the heads of all of its channels are named'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s f -l from-index -d 'The index: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s t -l tag -d 'Where an index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s d -l database -d 'Write a database file, which is not there yet' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s o -l folder -d 'Write a file-based catalog into this folder, which is not there yet' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l language -d 'Language of the file-based catalog' -r -f -a "json\t'JSON, as opm indents it'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l with-dependencies -d 'Also packages that those could need, by dependencies with these intents; without INTENTS, with any' -r -f -a "required\t'It cannot be installed without it'
recommended\t'It is installed with it where that is possible'
optional\t'It makes use of it where it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l without-recommended -d 'Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l with-optional -d 'Take this package where it can be, although it is only optional to a bundle; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l to -d 'What a file-based catalog becomes: the image of a catalog again, or of a database' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l no-dependencies -d 'Only the packages that are named, and nothing that they need'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l dry-run -d 'Say what would be there, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s i -l index -d 'The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s p -l package -d 'Packages, separated by commas; all where none is named' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s f -l download-folder -d 'Folder for the packages; those that it holds already are not touched' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s t -l tag -d 'Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s i -l binary-image -d 'Base image, with a program that serves the index; without it the image holds only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l binary -d 'Also for this platform, with opmx in FILE, a static binary for it; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l all-platforms -d 'For all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l generate -d 'Build no image: write database/index.db and index.Dockerfile into the working folder'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l no-redo -d 'Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "packages" -d 'List the packages, with their default channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "channels" -d 'List the channels, with their heads'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "bundles" -d 'List the bundles of the channels, with what they replace and skip'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "images" -d 'List the images of the bundles: their own, and those that they run'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s p -l package -d 'Packages to draw, separated by commas; all where none is named' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l channel -d 'Channels to draw, separated by commas; all where none is named' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s o -l output -d 'Form of the picture' -r -f -a "mermaid\t'A Mermaid flowchart'
dot\t'The language of Graphviz'
svg\t'A picture'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s o -l output -d 'Folder for the site' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l serve -d 'Show the site here in place of writing it; without an address on this machine only' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l title -d 'Title of the site' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l base-url -d 'Address that the site will have, for the links of its feed and its page for errors' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l name -d 'Name of the catalog on clusters, for the manifests to copy; without it, taken from the name of the index' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l compare -d 'Older index; a page lists what has changed since then' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l catalog -d 'Another index, for a page that shows the versions of all side by side; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l schema -d 'Print the JSON Schema of catalog.json, or of the data of a package' -r -f -a "catalog\t'All packages'
package\t'One package'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l images -d 'Read the images of bundles whose manifests the index does not hold'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'
markdown\t'Lists for a pull request'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l deny -d 'End with exit status 3 where NEW takes something of this kind away from users of OLD, and name each; may be given several times' -r -f -a "all\t'Everything below'
removed-package\t'A package'
removed-channel\t'A channel of a package that stays'
removed-bundle\t'A bundle of a package that stays'
removed-entry\t'A bundle of a channel, where both stay'
lost-upgrade\t'The update of clusters that run a bundle which a channel has, or had'
lower-head\t'The version of the head of a channel'
changed-default-channel\t'The default channel'
changed-bundle\t'The image or version of a bundle'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l exit-code -d 'End with exit status 3 where the indexes differ'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l fragment -d 'NEW is a part of OLD that is to replace it: leave out the packages that only OLD holds'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l images -d 'Ask the registries whether they have the images: those of the bundles, or with --images=all those that the operators run and list, too' -r -f -a "bundles\t'The images that are bundles'
all\t'Also those that the operators run, and related ones'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l for -l olm -d 'Find what clusters with this OLM cannot use: registry+v1 for what no released OLM can, or its version' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l policy -d 'File that says which kinds, permissions, registries and catalogs are allowed; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l fix -d 'Mend what needs no decision, in one step, in a database file'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add bundles to an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove packages from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Keep some packages and remove all others of an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "prune-stranded" -d 'Remove the bundles that no channel has from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "promote" -d 'Publish bundles of an index in further channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "deprecatetruncate" -d 'Deprecate bundles and cut their channels off below them'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "extract" -d 'Write some packages of an index, and what they need, as an index of their own'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write the packages of an index as package manifests'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "from-fbc" -d 'Make an index with a database of a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "list" -d 'List what is in an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "graph" -d 'Draw the update graph: which bundle may be updated to which'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "page" -d 'Write a website that shows an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Say what differs between two indexes'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check an index: its channels, its rows, and the sizes of what is in it'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "add" -d 'Add bundles to a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "rm" -d 'Remove packages from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "prune" -d 'Keep some packages and remove all others of a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "prune-stranded" -d 'Remove the bundles that no channel has from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "promote" -d 'Publish bundles of a database in further channels'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "deprecatetruncate" -d 'Deprecate bundles and cut their channels off below them'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s b -l bundle-images -d 'Bundles, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l bundles-from -d 'Add the bundles in this file, or on standard input (-), one on each line' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l mode -d 'How a new bundle takes its place: replaces, semver or semver-skippatch' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l if-exists -d 'What to do with a bundle that the index holds already: error, or skip it where content and image are the same' -r -f -a "error\t''
skip\t''"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l allow-media-types -d 'Refuse bundles of other media types than these, registry+v1 and k8s+v1: what the clusters of the index can read' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l record-as -d 'Reference to store for the one bundle that is added, where it will be published' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l dry-run -d 'Say how the graph would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l permissive -d 'Add the bundles that can be fetched and read, and fail at the end because of the others'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l overwrite-latest -d 'Let a bundle take the place of one with its name that is the last of its channels'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l enable-alpha -d 'Take bundles that stand in for others by the annotation olm.substitutesFor'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l by-reference -d 'Store the reference of a k8s+v1 bundle in place of its content, for an OLM that knows this media type'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s o -l packages -d 'The packages to remove, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l permissive -d 'Pass over packages that the index does not have'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s p -l packages -d 'The packages to keep, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l with-dependencies -d 'Also packages that those could need, by dependencies with these intents; without INTENTS, with any' -r -f -a "required\t'It cannot be installed without it'
recommended\t'It is installed with it where that is possible'
optional\t'It makes use of it where it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l without-recommended -d 'Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l with-optional -d 'Take this package where it can be, although it is only optional to a bundle; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l permissive -d 'Pass over packages that the index does not have'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s c -l channel -d 'Channels to publish them in, separated by commas; those that do not exist yet are made' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l mode -d 'How bundles take their places in the channels' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s b -l bundle-images -d 'The bundles, separated by commas: their names, or their images as the index stores them' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l permissive -d 'Pass over bundles that the index does not have'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l allow-package-removal -d 'Take a package out where the heads of all of its channels are named'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l dry-run -d 'Say what would change, and write nothing'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l address -d 'Address to listen on; without it, all addresses of the machine' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s p -l port -d 'Port to listen on; 0 takes a free one' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s t -l termination-log -d 'File for the reason, should the server fail; a cluster shows it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l metrics-address -d 'Show figures for Prometheus here, as http://ADDRESS:PORT/metrics; without an address on all of this machine' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l log-format -d 'Log to standard error, for a person or as JSON: start, end and faults, with -vv also every call' -r -f -a "text\t'A line of words for each event'
json\t'A JSON object for each event'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l max-connections -d 'Connections at once; for a further one the one that is missed least is closed [default: 4096, or fewer]' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l timeout-seconds -d 'End after this many seconds, or never: infinite' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add bundles to a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove packages from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Keep some packages and remove all others of a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "prune-stranded" -d 'Remove the bundles that no channel has from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "promote" -d 'Publish bundles of a database in further channels'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "deprecatetruncate" -d 'Deprecate bundles and cut their channels off below them'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l catalog -d 'An index to take operators from: an image, a database or a folder with a file-based catalog; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l installed -d 'What is installed, by the name of its ClusterServiceVersion; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l starting-csv -d 'The version that the first installation takes' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s n -l namespace -d 'Namespace that operators are installed into; without it that of the files, else operators' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l without-recommended -d 'Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l with-optional -d 'Take this package where it can be, although it is only optional to a bundle; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-steps -d 'How many candidates are tried at most' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l olm -d 'Answer as this release of OLM does, such as 0.28.0, or as the proposals describe it' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error answers; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l cluster -l objects -d 'File or folder with what a cluster says of itself, - is standard input; may be given several times, also beside --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l explain -d 'Say of every candidate why it was taken or not'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l schema -d 'Print the JSON Schema of the file for --state'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l address -d 'Address to listen on; without it, all addresses of the machine' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s p -l port -d 'Port to listen on; 0 takes a free one' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s t -l termination-log -d 'File for the reason, should the server fail; a cluster shows it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l metrics-address -d 'Show figures for Prometheus here, as http://ADDRESS:PORT/metrics; without an address on all of this machine' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l log-format -d 'Log to standard error, for a person or as JSON: start, end and faults, with -vv also every call' -r -f -a "text\t'A line of words for each event'
json\t'A JSON object for each event'"
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-connections -d 'Connections at once; for a further one the one that is missed least is closed [default: 4096, or fewer]' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l timeout-seconds -d 'End after this many seconds, or never: infinite' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l cache-dir -d 'Folder for the cache of the layers of images' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l cache-only -d 'Check what would be served, and end'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s o -l output -d 'Language of the catalog' -r -f -a "json\t'JSON, as opm indents it'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l migrate-level -d 'Replace old forms by newer ones, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Manifests of bundles that have an image give way to olm.csv.metadata'
all\t'Everything that there is'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand render" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand render" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l required-only -d 'Leave out dependencies that are recommended or optional'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l migrate -d 'Replace all old forms by newer ones'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s o -l output -d 'Language of the catalog' -r -f -a "json\t'JSON, as opm indents it'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l migrate-level -d 'Replace old forms by newer ones, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Manifests of bundles that have an image give way to olm.csv.metadata'
all\t'Everything that there is'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l required-only -d 'Leave out dependencies that are recommended or optional'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person: each finding with the line that it is about'
json\t'JSON, with stable field names'
yaml\t'The same as YAML'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations of a workflow'
junit\t'JUnit XML, for test reports'"
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l max-total-size -d 'Largest size of what is kept in memory of a catalog: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand init" -s c -l default-channel -d 'Channel of users who name none' -r
complete -c opmx -n "__fish_opmx_using_subcommand init" -s d -l description -d 'File with what the operator is about, such as its README.md; "-" is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand init" -s i -l icon -d 'File with the icon of the operator' -r
complete -c opmx -n "__fish_opmx_using_subcommand init" -s o -l output -d 'Language of the document' -r -f -a "json\t'JSON, as opm indents it'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand init" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand init" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand init" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -f -a "dockerfile" -d 'Write DIR.Dockerfile, which builds the image of the catalog in DIR'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s i -l base-image -d 'Image to stand on; "scratch" for one that holds no program' -r
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s b -l builder-image -d 'Image whose /bin/opm makes the cache' -r
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s l -l extra-labels -d 'More labels, separated by commas; of one that stands twice the last counts' -r
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "dockerfile" -d 'Write DIR.Dockerfile, which builds the image of the catalog in DIR'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l catalog -d 'Name of the CatalogSource that the bundle comes from; without it catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l catalog-namespace -d 'Namespace of the CatalogSource' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l replaces -d 'Version that is upgraded from; without it the one that the bundle says it replaces, and "" is none' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l approval -d 'Who approves the plan; without it a person where any Subscription of the namespace says so, else OLM' -r -f -a "automatic\t'OLM'
manual\t'A person'"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l without-recommended -d 'Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l with-optional -d 'Take this package where it can be, although it is only optional to a bundle; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-steps -d 'How many candidates are tried at most' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l olm -d 'Answer as this release of OLM does, such as 0.28.0, or as the proposals describe it' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l index -d 'Index that bundles are taken from, by their names: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s n -l namespace -d 'Namespace that is installed into; without it that of the what-if file, else operators' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error answers; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l cluster -l objects -d 'File or folder with what a cluster says of itself, - is standard input; may be given several times, also beside --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l repeat-properties -d 'Name what the bundle needs twice among its properties, as OLM does that reads a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l as -d 'Print something else' -r -f -a "role\t'Roles and ClusterRoles with their bindings, which give what is missing'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l user -d 'User who is to approve the install, and to use the catalogs' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l group -d 'Group that the user is in; may be repeated. Without --user whoever is in these groups is asked about' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l catalog -d 'CatalogSource that the user is to use, for which the verb install on it is needed; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l policy -d 'File that says which kinds, permissions, registries and catalogs are allowed; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l service-account -d 'Service account that installs; without it that of the OperatorGroup, where the files have one' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l olm -d 'Answer as this release of OLM does, such as 0.28.0, or as the proposals describe it' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l index -d 'Index that bundles are taken from, by their names: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s n -l namespace -d 'Namespace that is installed into; without it that of the what-if file, else operators' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error answers; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l cluster -l objects -d 'File or folder with what a cluster says of itself, - is standard input; may be given several times, also beside --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l exit-code -d 'End with exit status 3 where something is missing'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -a "diff" -d 'Show what an upgrade needs that the versions before were not approved for'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l package -d 'Package of the index whose published head was approved' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l channel -d 'Channel that the head is taken from; without it the default channel' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l service-account -d 'Service account that installs; without it that of the OperatorGroup, where the files have one' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l olm -d 'Answer as this release of OLM does, such as 0.28.0, or as the proposals describe it' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l index -d 'Index that bundles are taken from, by their names: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s n -l namespace -d 'Namespace that is installed into; without it that of the what-if file, else operators' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error answers; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l cluster -l objects -d 'File or folder with what a cluster says of itself, - is standard input; may be given several times, also beside --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Show what an upgrade needs that the versions before were not approved for'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l state -d 'What-if file with the operators that are installed, and their conditions; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l catalog -d 'Index to look for updates in: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -a "init" -d 'Write a condition resource, and the permission to write it'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l name -d 'Name of the ClusterServiceVersion, which the resource has, too' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l namespace -d 'Namespace of the operator' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l service-account -d 'Service account of the operator; can be repeated. Without it the account is default' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l deployment -d 'Deployment whose containers get the name of the resource as OPERATOR_CONDITION_NAME; can be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l operator -d 'Operator that the resource is a component of, such as etcd.operators, for the label operators.coreos.com/NAME' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l kind -d 'Resource to write: the one that OLM serves, or the one that was first proposed' -r -f -a "operator-condition\t'OperatorCondition, as OLM serves it'
condition\t'Condition, as the proposal operator-conditions has it; no released OLM reads it'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from help" -f -a "init" -d 'Write a condition resource, and the permission to write it'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l state -d 'What-if file with the objects of the cluster; - is standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l name -d 'The operator to show, where there are several' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l catalog -d 'Index to look for updates in: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l bundle -d 'Bundle that the components are compared with: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l label-style -d 'How the label of the components is written' -r -f -a "shipped\t'operators.coreos.com/NAME, as OLM writes it'
versioned\t'v2alpha1.operators.coreos.com/NAME'
seed\t'operators.coreos.com/operator:v2alpha1/NAME, as it was proposed; no cluster takes it'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l api-source -d 'Where to look up the kinds that RBAC rules name; may be given several times' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l all-conditions -d 'Show also the conditions that are as they should be'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -a "crds" -d 'Print the CustomResourceDefinitions of Operator, Install and Condition'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -a "migrate" -d 'Print the Operators and Installs that take the place of Subscriptions and OperatorGroups'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l catalog -d 'An index that the installed bundles come from, that of the CatalogSource with this name, or of any; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s o -l output -d 'Form of the result' -r -f -a "text\t'For a person'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from help" -f -a "crds" -d 'Print the CustomResourceDefinitions of Operator, Install and Condition'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from help" -f -a "migrate" -d 'Print the Operators and Installs that take the place of Subscriptions and OperatorGroups'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -f -a "render-template" -d 'Write the catalog that a template describes'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -f -a "convert-template" -d 'Make a template of a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s o -l output -d 'Language of the catalog' -r -f -a "json\t'JSON, as opm indents it'
yaml\t'YAML, with sorted keys'
mermaid\t'The channels as a Mermaid flowchart'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l migrate-level -d 'Replace old forms by newer ones, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Manifests of bundles that have an image give way to olm.csv.metadata'
all\t'Everything that there is'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'Everything that only warns'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l allow -d 'Do not report this rule' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l authfile -d 'Credential file, in the form of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l ca-file -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l retries -d 'How often to try again when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l request-timeout -d 'Longest time for a manifest, a token or the text of an error, from the request to its last byte' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l min-rate -d 'Slowest rate of a layer in bytes a second, measured over a minute; 0 for any' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l cache-dir -d 'Folder for the cache of layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-image-size -d 'Largest size of all layers of an image together, unpacked' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l platform -d 'Platform to take from an image that has several, as OS/ARCH' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-file-size -d 'Largest file in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-files -d 'Most files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-total-size -d 'Largest size of all files of a bundle together, and of what is kept in memory of a catalog or of dumps of a cluster' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-depth -d 'Deepest nesting of a YAML or JSON document, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-documents -d 'Most documents in one YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-values -d 'Most keys and values in one YAML or JSON file, in one document of a catalog, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-database-steps -d 'Maximum number of database engine steps; about 50 million take a second' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l required-only -d 'Leave out dependencies that are recommended or optional'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l strict -d 'Refuse what is only taken because it is published: report the errors that an author would get'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l skip-tls-verify -d 'Accept any certificate of a registry'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l use-http -d 'Talk plain HTTP to registries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l no-cache -d 'Neither use nor fill the cache of layers'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s o -l output -d 'Language of the template' -r -f -a "json\t'JSON, as opm indents it'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l max-depth -d 'Deepest nesting of a document of a catalog, at most 1024' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l max-values -d 'Most keys and values in one document of a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l max-total-size -d 'Largest size of the catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l color -d 'When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, where the environment does not refuse it'
always\t'Also in pipes and files'
never\t'Not at all'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s q -l quiet -d 'Print no progress, remarks or warnings; errors stay'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from help" -f -a "render-template" -d 'Write the catalog that a template describes'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from help" -f -a "convert-template" -d 'Make a template of a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
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
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "bundle" -d 'Begin, look at and build bundles: one operator version each'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "catalog" -d 'Change file-based catalogs, and build their images'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "index" -d 'Change and look at indexes, the images that OLM reads bundles from'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "registry" -d 'Change and serve the database file of an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "resolve" -d 'Say what OLM would install or update to, with no cluster'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "serve" -d 'Serve an index or a file-based catalog to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "render" -d 'Write indexes, catalogs and bundles as a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "migrate" -d 'Write an index or a catalog as a folder, with a file for each package'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "validate" -d 'Check a file-based catalog: its documents, its channels, its bundles'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "init" -d 'Begin a package of a file-based catalog: write its olm.package document'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "generate" -d 'Write what other tools need for a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "plan" -d 'Show the InstallPlan of a bundle, and how it would end on a cluster'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "permissions" -d 'Review the permissions that a bundle needs to be installed'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "upgrade-check" -d 'Say whether OLM would hold back the upgrade of an operator'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "operator" -d 'Show what a cluster has of an operator, in one resource'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "alpha" -d 'Templates of file-based catalogs, where opm has them'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "completion" -d 'Print the completion script of a shell'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "man" -d 'Write the manual, one page for each command'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "init" -d 'Begin a bundle: write the metadata that raw manifests need'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "generate" -d 'Write annotations.yaml and bundle.Dockerfile, as opm does'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "synthesize" -d 'Print the ClusterServiceVersion of a bundle of plain manifests'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "build" -d 'Build the image of a bundle, with no container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "convert" -d 'Convert a bundle to the other media type'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "inspect" -d 'Show what is in a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "unpack" -d 'Write the files of a bundle image to a folder'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "schema" -d 'Print the JSON Schema of metadata/olm.yaml, of annotations in its place, of findings, or of policies'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "update" -d 'Update the folder of a bundle to the next release'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "validate" -d 'Check bundles, and say what to change where'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "rules" -d 'List the rules of bundles, or explain one'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "add" -d 'Add bundles to channels of a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "rm" -d 'Remove packages, channels or bundles from a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "prune" -d 'Keep a part of a catalog, and remove the rest'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "truncate" -d 'Remove the old versions of a package'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "deprecate" -d 'Deprecate a package, a channel or a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "undeprecate" -d 'Take back a deprecation'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "release" -d 'Release a version into all catalogs of a community repository'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "lifecycle" -d 'Say until when versions of a package are maintained, and on which platforms they run'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "channel" -d 'Change channels of a package as a whole'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "merge" -d 'Merge catalogs into a new one'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "fmt" -d 'Format the files of catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "build" -d 'Build the image of a file-based catalog, with no container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "add" -d 'Add bundles to an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "rm" -d 'Remove packages from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "prune" -d 'Keep some packages and remove all others of an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "prune-stranded" -d 'Remove the bundles that no channel has from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "promote" -d 'Publish bundles of an index in further channels'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "deprecatetruncate" -d 'Deprecate bundles and cut their channels off below them'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "extract" -d 'Write some packages of an index, and what they need, as an index of their own'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "export" -d 'Write the packages of an index as package manifests'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "from-fbc" -d 'Make an index with a database of a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "list" -d 'List what is in an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "graph" -d 'Draw the update graph: which bundle may be updated to which'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "page" -d 'Write a website that shows an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "diff" -d 'Say what differs between two indexes'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "check" -d 'Check an index: its channels, its rows, and the sizes of what is in it'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "add" -d 'Add bundles to a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "rm" -d 'Remove packages from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "prune" -d 'Keep some packages and remove all others of a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "prune-stranded" -d 'Remove the bundles that no channel has from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "promote" -d 'Publish bundles of a database in further channels'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "deprecatetruncate" -d 'Deprecate bundles and cut their channels off below them'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from generate" -f -a "dockerfile" -d 'Write DIR.Dockerfile, which builds the image of the catalog in DIR'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from permissions" -f -a "diff" -d 'Show what an upgrade needs that the versions before were not approved for'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from upgrade-check" -f -a "init" -d 'Write a condition resource, and the permission to write it'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from operator" -f -a "crds" -d 'Print the CustomResourceDefinitions of Operator, Install and Condition'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from operator" -f -a "migrate" -d 'Print the Operators and Installs that take the place of Subscriptions and OperatorGroups'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from alpha" -f -a "render-template" -d 'Write the catalog that a template describes'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from alpha" -f -a "convert-template" -d 'Make a template of a file-based catalog'
