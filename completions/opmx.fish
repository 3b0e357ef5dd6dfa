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

complete -c opmx -n "__fish_opmx_needs_command" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_needs_command" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_needs_command" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_needs_command" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_needs_command" -s V -l version -d 'Print version'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "bundle" -d 'Create, inspect and build bundles, one for each operator version'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "catalog" -d 'Change file-based catalogs, and build their images'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "index" -d 'Change and inspect indexes, from which OLM installs operators'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "mirror" -d 'Mirror catalogs and their images, for clusters without internet access'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "registry" -d 'Change and serve the database file of an index'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "resolve" -d 'Show what OLM would install or update to, without a cluster'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "serve" -d 'Serve an index or a file-based catalog to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "render" -d 'Print indexes, catalogs and bundles as one file-based catalog'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "migrate" -d 'Convert an index or a catalog to a folder with one file per package'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "validate" -d 'Check a file-based catalog: its documents, channels and bundles'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "init" -d 'Print the olm.package document for a new package in a file-based catalog'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "generate" -d 'Generate a Dockerfile for a file-based catalog'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "plan" -d 'Show the InstallPlan of a bundle, and its result on a cluster'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "permissions" -d 'Review the permissions that the installation of a bundle needs'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "upgrade-check" -d 'Check whether OLM would hold back the upgrade of an operator'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "operator" -d 'Show the components of an operator on a cluster, as one resource'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "alpha" -d 'Render and convert templates of file-based catalogs'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "completion" -d 'Print the completion script for a shell'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "man" -d 'Write the man pages, one for each command'
complete -c opmx -n "__fish_opmx_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "init" -d 'Start a bundle: write the metadata that raw manifests need'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "generate" -d 'Write annotations.yaml and bundle.Dockerfile, as opm does'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "synthesize" -d 'Print the ClusterServiceVersion of a bundle of plain manifests'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "build" -d 'Build the image of a bundle, without a container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "convert" -d 'Convert a bundle to the other media type'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "inspect" -d 'Show the content of a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "unpack" -d 'Write the files of a bundle image to a folder'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "schema" -d 'Print the JSON Schema of metadata/olm.yaml, or of annotations, findings or policy files'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "update" -d 'Update the folder of a bundle to the next release'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "validate" -d 'Check bundles, and report what to fix'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "rules" -d 'List the rules, or explain one of them'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and not __fish_seen_subcommand_from init generate synthesize build convert inspect unpack schema update validate rules help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l from -d 'Copy the manifests from this folder or file, or from standard input (-)' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s p -l package -d 'Package that the bundle belongs to [default: the name of the Deployment, or the common prefix of several names, or the namespace if the name is generic]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l version -d 'Version of the operator, such as 1.2.3 [default: the tag of the operator\'s image]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s c -l channels -d 'Channels of the bundle, separated by commas [default: those of the existing annotations, or stable]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s e -l default -d 'Default channel [default: the first channel, if there are several]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l exclude -d 'Exclude this object of the manifests; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l overwrite -d 'Overwrite existing files'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l expand-wildcards -d 'Expand wildcards in RBAC rules for the APIs of the bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s d -l directory -d 'Folder of the manifests, as in opm; metadata/ is next to it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s p -l package -d 'Package that the bundle belongs to' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s c -l channels -d 'Channels of the bundle, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s e -l default -d 'Default channel' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s u -l output-dir -d 'Copy manifests/ and metadata/ into this folder, and make the Dockerfile refer to the copies' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from generate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s o -l output -d 'Output format [default: yaml, or a table with --explain]' -r -f -a "yaml\t'YAML'
json\t'JSON'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l explain -d 'Print the object, file and line that each inferred field comes from'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l expand-wildcards -d 'Expand wildcards in RBAC rules for the APIs of the bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from synthesize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s d -l directory -d 'Folder of the manifests, as in opm; metadata/ is next to it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s t -l tag -d 'Destination of the image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l version -d 'Version of the operator, instead of the version in the bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l replaces -d 'Name of the bundle that this version replaces, instead of the name in the bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l image-map -d 'Replace images as specified in this file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l pins-out -d 'Write the image replacements to this file, in the format of --image-map' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l related-images -d 'Add images to the related images: mentioned or from-env' -r -f -a "mentioned\t'Mentioned images'
from-env\t'Images of RELATED_IMAGE_* variables'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l media-type -d 'Media type of the image: registry+v1 or k8s+v1' -r -f -a "registry+v1\t''
k8s+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s p -l package -d 'Package that the bundle belongs to' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s c -l channels -d 'Channels of the bundle, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s e -l default -d 'Default channel' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s u -l output-dir -d 'Also write the manifests/ and metadata/ of the image to this folder, which must not contain another bundle' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l pin -d 'Replace image tags with their current digests in the registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l expand-wildcards -d 'Expand wildcards in RBAC rules for the APIs of the bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l no-validate -d 'Build the image even if the bundle has errors'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s o -l overwrite -d 'Use the options in the image even if metadata/annotations.yaml contradicts them; the file is not changed'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l to -d 'Media type of the new bundle: registry+v1 or k8s+v1' -r -f -a "registry+v1\t''
k8s+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l expand-wildcards -d 'Expand wildcards in RBAC rules for the APIs of the bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l media-type -d 'Read a bundle of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds' -r -f -a "registry+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s o -l out -d 'Folder for manifests/ and metadata/; created if absent' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l skip-validation -d 'Write the files even if the bundle has errors'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from unpack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -l annotations -d 'Same as the argument "annotations"'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l from -d 'The manifests of the next release: a folder, a file, or standard input (-)' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l version -d 'Version of the operator, such as 1.2.3 [default: the tag of its image]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l replaces -d 'Name of the bundle that this version replaces [default: the bundle in DIR]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l keep -d 'Keep this manifest although it is not among the new manifests; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l exclude -d 'Exclude this object of the manifests; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l samples -d 'Folder of sample custom resources, which become the alm-examples' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l expand-wildcards -d 'Expand wildcards in RBAC rules for the APIs of the bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l suite -d 'Suites of rules to add' -r -f -a "all\t'every suite except multiarch and konflux, which send requests to registries, conforma, a part of konflux, and olm-v1'
operatorhub\t'requirements of OperatorHub.io for the page of an operator, including capability level and categories'
good-practices\t'resource requests, descriptions, channel names'
deprecated-apis\t'APIs that Kubernetes has removed'
removed-apis\t'the same as deprecated-apis'
objects\t'objects that interfere with the maintenance of a cluster'
community\t'the OpenShift versions that a bundle names, and their limit for bundles with APIs that OpenShift 4.9 removed'
multiarch\t'the platforms of the images, as reported by their registries'
konflux\t'the release policy of Konflux for bundles; images are looked up in their registries'
conforma\t'the part of konflux that can be checked with the bundle alone'
olm-v1\t'what OLM v1 does not install: dependencies, install modes, kinds, webhooks'
capabilities\t'the capability level alone'
categories\t'the categories alone'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l as -d 'Reproduce the verdict of another program, including its mistakes' -r -f -a "opm\t'opm alpha bundle validate'
operator-sdk\t'operator-sdk bundle validate'
api\t'All validators of the Operator Framework\'s library'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l media-type -d 'Check bundles of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds' -r -f -a "registry+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l k8s-version -d 'Report APIs as errors if this version of Kubernetes no longer serves them' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l categories -d 'File with the allowed categories, {"categories": […]}, instead of the default categories; used by the suites categories and operatorhub' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l index-dockerfile -d 'Dockerfile of the index that the bundles are for; used by the suite community' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l allowed-registries -d 'Registries, paths or repositories that images may come from; used by the suites konflux and conforma' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l policy -d 'File with the allowed kinds, permissions, registries and catalogs; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l only -d 'Report only findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text: each finding with the affected line'
json\t'JSON, with stable field names'
yaml\t'YAML, with the same fields'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations of a GitHub workflow'
junit\t'JUnit XML, for test reports'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l fix -d 'Fix unambiguous problems in the files of the folders, and report the remaining findings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l dry-run -d 'With --fix, print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "init" -d 'Start a bundle: write the metadata that raw manifests need'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "generate" -d 'Write annotations.yaml and bundle.Dockerfile, as opm does'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "synthesize" -d 'Print the ClusterServiceVersion of a bundle of plain manifests'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "build" -d 'Build the image of a bundle, without a container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "convert" -d 'Convert a bundle to the other media type'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "inspect" -d 'Show the content of a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "unpack" -d 'Write the files of a bundle image to a folder'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "schema" -d 'Print the JSON Schema of metadata/olm.yaml, or of annotations, findings or policy files'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "update" -d 'Update the folder of a bundle to the next release'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "validate" -d 'Check bundles, and report what to fix'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "rules" -d 'List the rules, or explain one of them'
complete -c opmx -n "__fish_opmx_using_subcommand bundle; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "add" -d 'Add bundles to channels of a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "rm" -d 'Remove packages, channels or bundles from a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "prune" -d 'Keep part of a catalog, and remove the rest'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "truncate" -d 'Remove the old versions of a package'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "deprecate" -d 'Deprecate a package, a channel or a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "undeprecate" -d 'Remove a deprecation'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "release" -d 'Release a version into all catalogs of a community repository'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "lifecycle" -d 'Set the maintenance phases and platforms of package versions'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "channel" -d 'Rename or copy a channel, or set the default channel'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "merge" -d 'Merge catalogs into a new one'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "fmt" -d 'Format the files of catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "build" -d 'Build the image of a file-based catalog, without a container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and not __fish_seen_subcommand_from add rm prune truncate deprecate undeprecate release lifecycle channel merge fmt build help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s b -l bundle -d 'Bundles to add: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, or folders; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s c -l channel -d 'Channels to add the bundles to [default: the channels in their annotations]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l mode -d 'Mode for placing a bundle in its channels: replaces, semver or semver-skippatch' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l replaces -d 'Bundle that the new bundle replaces in these channels [default: from its ClusterServiceVersion]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l skips -d 'Bundles that the new bundle skips in these channels [default: from its ClusterServiceVersion]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l skip-range -d 'Version range that the new bundle skips in these channels [default: from its ClusterServiceVersion]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l default-channel -d 'Default channel of the package [default: the channel in the annotations of the bundle, or the only channel]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l migrate-level -d 'Replace old forms of content with newer forms, up to this level [default: the form of the other bundles in the package or catalog]' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Replace manifests with olm.csv.metadata in bundles that have an image'
all\t'Replace all old forms'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l overwrite -d 'Replace an existing bundle of the same name, even if its content or edges differ'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l required-only -d 'Omit recommended and optional dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l default-channel -d 'New default channel, if the current default channel is removed' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s p -l package -d 'Part to keep: PACKAGE or PACKAGE=CHANNEL,CHANNEL, optionally followed by the versions: @heads, @all or a range such as @>=1.2.0; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l range-style -d 'Syntax of version ranges' -r -f -a "olm\t'The syntax of OLM: terms separated by spaces, and ||'
masterminds\t'The syntax of image set configurations and Helm charts: also commas, ^ and ~'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l from -d 'Keep the shortest upgrade paths from this version to the heads of the channels' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l default-channel -d 'New default channel, if the current default channel is removed' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l with-dependencies -d 'Include packages that could satisfy dependencies with these intents, or with any intent if INTENTS is omitted' -r -f -a "required\t'The bundle cannot be installed without the dependency'
recommended\t'The bundle is installed with the dependency if possible'
optional\t'The bundle uses the dependency if it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l below -d 'Lowest version to keep' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l default-channel -d 'New default channel, if the current default channel is removed' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from truncate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s m -l message -d 'Reason and replacement, as Markdown' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from deprecate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from undeprecate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s b -l bundle -d 'Bundle of the version; this reference is written to the templates' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l migrate-level -d 'Replace old forms of content with newer forms in all catalogs, up to this level [default: depends on the OpenShift release]' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Replace manifests with olm.csv.metadata in bundles that have an image'
all\t'Replace all old forms'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l overwrite -d 'Replace existing entries of the version, and remove catalog content that is not in the templates'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l required-only -d 'Omit recommended and optional dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l phase -d 'Maintenance phase, such as Maintenance=2027-01-01..2027-06-30; repeat for each phase, in order' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l platform -d 'Supported platform with all its supported versions, such as openshift=4.20,4.21' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s f -l file -d 'Set all versions from a lifecycles document, in a file or on standard input (-)' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -l remove -d 'Remove the lifecycle of the version, or of all versions if none is specified'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from lifecycle" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "set-default" -d 'Set the default channel of a package'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "rename" -d 'Rename a channel'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "copy" -d 'Create a channel with the entries of an existing channel'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from channel" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s o -l output -d 'Folder for the new catalog' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l prefer -d 'Catalog that takes precedence in conflicts' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from merge" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l check -d 'Write nothing, but print the names of the files that would change, and exit with status 3 if there are any'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -l dry-run -d 'Print the changes as a diff without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from fmt" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s t -l tag -d 'Destination of the image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l label -d 'Set this label, in addition to the label with the location of the catalog; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l no-binary -d 'Build the image without a program'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add bundles to channels of a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove packages, channels or bundles from a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Keep part of a catalog, and remove the rest'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "truncate" -d 'Remove the old versions of a package'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "deprecate" -d 'Deprecate a package, a channel or a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "undeprecate" -d 'Remove a deprecation'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "release" -d 'Release a version into all catalogs of a community repository'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "lifecycle" -d 'Set the maintenance phases and platforms of package versions'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "channel" -d 'Rename or copy a channel, or set the default channel'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "merge" -d 'Merge catalogs into a new one'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "fmt" -d 'Format the files of catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "build" -d 'Build the image of a file-based catalog, without a container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "add" -d 'Add bundles to an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "rm" -d 'Remove packages from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "prune" -d 'Keep some packages of an index image, and remove all others'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "prune-stranded" -d 'Remove bundles that are not in any channel from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "promote" -d 'Publish bundles of an index in additional channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "deprecatetruncate" -d 'Deprecate bundles, and truncate their channels below them'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "extract" -d 'Write packages of an index, with their dependencies, to a separate index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "export" -d 'Write the packages of an index as package manifests'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "from-fbc" -d 'Convert a file-based catalog to an index with a database'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "list" -d 'List the content of an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "graph" -d 'Draw the update graph of an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "page" -d 'Generate a static website from an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "diff" -d 'Show the differences between two indexes'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "check" -d 'Check an index: its channels, its rows and the sizes of its manifests'
complete -c opmx -n "__fish_opmx_using_subcommand index; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate extract export from-fbc list graph page diff check help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s b -l bundles -d 'Bundles to add, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s f -l from-index -d 'Index to start from: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l bundles-from -d 'Add the bundles that are listed in this file, or on standard input (-), one per line' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l mode -d 'Mode for placing a new bundle in its channels: replaces, semver or semver-skippatch' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l if-exists -d 'Action for a bundle that is already in the index: error, or skip if content and image are the same' -r -f -a "error\t''
skip\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l allow-media-types -d 'Accept only bundles of these media types (registry+v1, k8s+v1); the clusters that use the index must support them' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l record-as -d 'Reference under which the bundle will be published, to store in the index; only for a single bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l no-redo -d 'Fail if another pipeline moves the tag, instead of repeating the change on the new index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l permissive -d 'Skip bundles that cannot be fetched or read, unless none can be; exit with status 1 if any was skipped'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l overwrite-latest -d 'Overwrite a bundle of the same name if it is the head of all its channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l enable-alpha -d 'Accept bundles with the annotation olm.substitutesFor'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l by-reference -d 'Store a reference to a k8s+v1 bundle instead of its content, for versions of OLM that support this media type'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s o -l operators -d 'Packages to remove, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s f -l from-index -d 'Index to start from: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l permissive -d 'Ignore packages that are not in the index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l no-redo -d 'Fail if another pipeline moves the tag, instead of repeating the change on the new index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s p -l packages -d 'Packages to keep, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l with-dependencies -d 'Include packages that could satisfy dependencies with these intents, or with any intent if INTENTS is omitted' -r -f -a "required\t'The bundle cannot be installed without the dependency'
recommended\t'The bundle is installed with the dependency if possible'
optional\t'The bundle uses the dependency if it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s f -l from-index -d 'Index to start from: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l permissive -d 'Ignore packages that are not in the index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l no-redo -d 'Fail if another pipeline moves the tag, instead of repeating the change on the new index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s f -l from-index -d 'Index to start from: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l no-redo -d 'Fail if another pipeline moves the tag, instead of repeating the change on the new index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from prune-stranded" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s c -l channel -d 'Channels to publish the bundles in, separated by commas; missing channels are created' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l mode -d 'Mode for placing the bundles in the channels' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s f -l from-index -d 'Index to start from: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l no-redo -d 'Fail if another pipeline moves the tag, instead of repeating the change on the new index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from promote" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s b -l bundles -d 'Bundles to deprecate, separated by commas: their names, or their images as stored in the index' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s f -l from-index -d 'Index to start from: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l permissive -d 'Ignore bundles that are not in the index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l allow-package-removal -d 'Remove a package if the heads of all its channels are specified'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l no-redo -d 'Fail if another pipeline moves the tag, instead of repeating the change on the new index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from deprecatetruncate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s f -l from-index -d 'Source index: an image, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s t -l tag -d 'Destination of an index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s d -l database -d 'Write a database file, which must not exist yet' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s o -l folder -d 'Write a file-based catalog into this folder, which must be absent or empty' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l language -d 'Language of the file-based catalog' -r -f -a "json\t'JSON, indented like the output of opm'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l with-dependencies -d 'Include packages that could satisfy dependencies with these intents, or with any intent if INTENTS is omitted' -r -f -a "required\t'The bundle cannot be installed without the dependency'
recommended\t'The bundle is installed with the dependency if possible'
optional\t'The bundle uses the dependency if it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l to -d 'Form of the result if the source is a file-based catalog: catalog or database [default: catalog]' -r -f -a "catalog\t''
database\t''"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l no-dependencies -d 'Write only the named packages, without their dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l dry-run -d 'Print the packages of the result without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s i -l index -d 'The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s p -l package -d 'Packages to export, separated by commas [default: all]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s f -l download-folder -d 'Folder for the packages; it is an error if it already contains one of them, and nothing is written' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s t -l tag -d 'Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s d -l out-dockerfile -d 'Name of the Dockerfile that --generate writes' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l generate -d 'Write database/index.db and index.Dockerfile to the current directory, without building an image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from from-fbc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "packages" -d 'List the packages, with their default channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "channels" -d 'List the channels, with their heads'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "bundles" -d 'List the bundles of the channels, with the bundles that they replace and skip'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "images" -d 'List the bundle images, and all other images that the bundles need'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from list" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s p -l package -d 'Packages to draw, separated by commas [default: all]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l channel -d 'Channels to draw, separated by commas [default: all]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s o -l output -d 'Output format' -r -f -a "mermaid\t'A Mermaid flowchart'
dot\t'The DOT language of Graphviz'
svg\t'An SVG picture'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from graph" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s o -l output -d 'Folder for the site; required without --serve' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l serve -d 'Serve the site instead of writing it; without ADDRESS, only on the loopback address' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l title -d 'Title of the site' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l base-url -d 'URL of the published site, for the links in its feed and on its error page' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l name -d 'Name of the CatalogSource in the manifests that the pages show [default: from the name and the tag of the index]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l compare -d 'Older index to compare with; a page lists the changes' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l catalog -d 'Additional index, for a page that shows the versions of all indexes side by side; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l schema -d 'Print the JSON Schema of catalog.json, or of the data of a package' -r -f -a "catalog\t'All packages'
package\t'One package'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l images -d 'Read the images of bundles whose manifests the index does not contain'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l probe -d 'Show the sizes and platforms of the images of each version'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from page" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'YAML, with the same fields'
markdown\t'Markdown lists for a pull request'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l deny -d 'Exit with status 3 if users of OLD lose something of this kind in NEW, and list the losses; may be repeated' -r -f -a "all\t'All of the following'
removed-package\t'A package'
removed-channel\t'A channel of a package that is kept'
removed-bundle\t'A bundle of a package that is kept'
removed-entry\t'The entry of a bundle in a channel, if the bundle and the channel are kept'
lost-upgrade\t'The update path of clusters that run a current or former bundle of a channel'
lower-head\t'The version of the head of a channel, if it is lower in NEW'
changed-default-channel\t'The default channel, if it is different in NEW'
changed-bundle\t'The image or version of a bundle, if it is different in NEW'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l exit-code -d 'Exit with status 3 if the indexes differ'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l fragment -d 'Treat NEW as a replacement for a part of OLD, and ignore packages that only OLD contains'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l images -d 'Check that the registries have the images of the bundles or, with --images=all, also the images that the operators run and list' -r -f -a "bundles\t'The images of the bundles'
all\t'Also the images that the operators run, and related images'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l for -l olm -d 'Find bundles that clusters with this OLM version cannot use; registry+v1 stands for all released versions before OLM v1' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l policy -d 'File with the allowed kinds, permissions, registries and catalogs; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text: each finding with the affected line'
json\t'JSON, with stable field names'
yaml\t'YAML, with the same fields'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations of a GitHub workflow'
junit\t'JUnit XML, for test reports'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l fix -d 'Fix unambiguous problems in a database file, in one step'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add bundles to an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove packages from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Keep some packages of an index image, and remove all others'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "prune-stranded" -d 'Remove bundles that are not in any channel from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "promote" -d 'Publish bundles of an index in additional channels'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "deprecatetruncate" -d 'Deprecate bundles, and truncate their channels below them'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "extract" -d 'Write packages of an index, with their dependencies, to a separate index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write the packages of an index as package manifests'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "from-fbc" -d 'Convert a file-based catalog to an index with a database'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the content of an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "graph" -d 'Draw the update graph of an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "page" -d 'Generate a static website from an index'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Show the differences between two indexes'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check an index: its channels, its rows and the sizes of its manifests'
complete -c opmx -n "__fish_opmx_using_subcommand index; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "plan" -d 'Plan a mirror: the images of a part of a catalog, their sizes and their destinations'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "copy" -d 'Copy the content of a plan into a registry or an archive'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "load" -d 'Load an archive into a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "manifests" -d 'Write the cluster configuration for the mirrored images of a plan'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "verify" -d 'Verify that a registry or an archive contains the content of a plan'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "diff" -d 'Show the images that a new plan adds and drops, and their sizes'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "schema" -d 'Print the JSON Schema of a plan, a result or the list of an archive'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "delete" -d 'Delete the images of a plan from a registry, except those of other plans'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and not __fish_seen_subcommand_from plan copy load manifests verify diff schema delete help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l catalog -d 'Catalog: an image, a folder or a database; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s c -l config -d 'ImageSetConfiguration (mirror.openshift.io/v2alpha1) that describes the mirror' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l cluster -d 'File or folder with objects of a cluster, or - for standard input; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s p -l package -d 'Part to mirror: PACKAGE or PACKAGE=CHANNEL,CHANNEL, optionally followed by the versions: @heads (the default), @all or a range such as @>=1.2.0; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l range-style -d 'Syntax of version ranges' -r -f -a "olm\t'The syntax of OLM: terms separated by spaces, and ||'
masterminds\t'The syntax of image set configurations and Helm charts: also commas, ^ and ~'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l from -d 'Keep the shortest upgrade paths from this version to the heads of the channels' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l default-channel -d 'New default channel of a package whose default channel is not kept; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l image -d 'Also mirror this image; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l platforms -d 'Mirror only these platforms of images, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l intent -d 'Follow only those dependencies of the selected bundles that have these intents' -r -f -a "required\t'The bundle cannot be installed without the dependency'
recommended\t'The bundle is installed with the dependency if possible'
optional\t'The bundle uses the dependency if it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l to -d 'Target registry of the mirror, with an optional path for the images' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-nested-paths -d 'Maximum number of path components below the target; additional components are joined with dashes (0: no limit)' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s o -l output -d 'File for the plan' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l deny -d 'Exit with status 3 if the plan lacks such content; may be repeated' -r -f -a "left-out\t'Images that cannot be copied, except blocked images, and packages of a cluster that are skipped'
unlisted\t'Images that bundles mention, such as in variables, but do not list as related images'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s i -l binary-image -d 'Base image with a program that serves the index; by default, the index image contains only opmx' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l binary -d 'Also build for this platform, with the static opmx binary in FILE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l concurrency -d 'Number of images to inspect at once' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l to-authfile -d 'Credential file for the target registry' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l to-ca-file -d 'Trust the certificates in this PEM file for the target registry, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l all -d 'Mirror whole catalogs, with their original images'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l no-dependencies -d 'Include only the selected bundles, without their dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l no-extras -d 'Do not include signatures and other referrers'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l check-target -d 'Check how much content the target already contains'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l keep-host -d 'Prefix the path of each image with its host, so that images of different registries never conflict'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l all-platforms -d 'Build for all platforms of the base image'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l no-binary -d 'Build catalog images without a program'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l to-skip-tls-verify -d 'Accept any certificate from the target registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l to-use-http -d 'Use plain HTTP for the target registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l to-use-https -d 'Use HTTPS for the target registry despite --use-http; --to-ca-file and --to-skip-tls-verify have the same effect'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to -d 'Registry to copy to, with an optional path for the images; if the plan specifies a target, it is the default, and no other target is accepted' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to-archive -d 'Folder to write an archive to' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l name -d 'Name of the archive: its files are NAME.json, NAME-0001.tar, …' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l volume-size -d 'Maximum size of an archive volume' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l base -d 'Earlier archive, whose blobs are left out: its folder or its list' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l max-nested-paths -d 'Maximum number of path components below the target; additional components are joined with dashes (0: no limit)' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l concurrency -d 'Number of concurrent transfers' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l memory -d 'Maximum size of the content in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l state-dir -d 'Folder for the journal and the result, instead of the folder of the plan or archive' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to-authfile -d 'Credential file for the target registry' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to-ca-file -d 'Trust the certificates in this PEM file for the target registry, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l keep-host -d 'Prefix the path of each image with its host, so that images of different registries never conflict'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l fail-fast -d 'Stop after the first image that fails'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to-skip-tls-verify -d 'Accept any certificate from the target registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to-use-http -d 'Use plain HTTP for the target registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l to-use-https -d 'Use HTTPS for the target registry despite --use-http; --to-ca-file and --to-skip-tls-verify have the same effect'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from copy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l to -d 'Registry to copy to, with an optional path for the images; if the plan specifies a target, it is the default, and no other target is accepted' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l plan -d 'Plan that the archive must contain, from a trusted source: whoever can change an archive can also change the plan in it' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l max-nested-paths -d 'Maximum number of path components below the target; additional components are joined with dashes (0: no limit)' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l concurrency -d 'Number of concurrent transfers' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l memory -d 'Maximum size of the content in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l state-dir -d 'Folder for the journal and the result, instead of the folder of the plan or archive' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l keep-host -d 'Prefix the path of each image with its host, so that images of different registries never conflict'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l fail-fast -d 'Stop after the first image that fails'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from load" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l to -d 'Registry of the mirrored images, with an optional path; if the plan specifies a target, it is the default, and no other target is accepted' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l max-nested-paths -d 'Maximum number of path components below the target; additional components are joined with dashes (0: no limit)' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -s o -l output -d 'Folder for the files' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l kind -d 'Kinds of files to write, separated by commas' -r -f -a "idms\t'An ImageDigestMirrorSet, for images that are pulled by digest'
itms\t'An ImageTagMirrorSet, for images that are pulled by tag'
icsp\t'An ImageContentSourcePolicy, for older releases of OpenShift'
catalogsource\t'A CatalogSource for each catalog'
clustercatalog\t'A ClusterCatalog for each file-based catalog'
registries.conf\t'A drop-in file for CRI-O, podman and skopeo'
hosts.toml\t'A file for each registry, for containerd'
mapping.txt\t'Lines SOURCE=DESTINATION, for copying tools'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l scope -d 'Scope of the mirror rules' -r -f -a "repository\t'One repository'
namespace\t'All repositories with the same parent path'
registry\t'All repositories of the registry'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l name -d 'Name of the mirror sets' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -s n -l namespace -d 'Namespace of the CatalogSources [default: that of the cluster, or openshift-marketplace]' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l catalog-name -d 'Name of the objects of a catalog; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l keep-host -d 'Prefix the path of each image with its host, so that images of different registries never conflict'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -l never-contact-source -d 'Never fall back to the source registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from manifests" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l at -d 'Mirror to verify: a registry with an optional path, the folder of an archive, or the list of an archive; by default, the target in the plan' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l max-nested-paths -d 'Maximum number of path components below the target; additional components are joined with dashes (0: no limit)' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l policy -d 'Policy that images must satisfy: a container engine\'s policy.json, or a ClusterImagePolicy' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l concurrency -d 'Number of concurrent requests' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l keep-host -d 'Prefix the path of each image with its host, so that images of different registries never conflict'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l read -d 'Read every blob, instead of only checking that it exists'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from diff" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from diff" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from schema" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from schema" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from schema" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l keep -d 'Plan of the images to keep; required unless --keep-nothing is used; may be repeated' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l at -d 'Registry to delete from, with an optional path' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l max-nested-paths -d 'Maximum number of path components below the target; additional components are joined with dashes (0: no limit)' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l keep-nothing -d 'Keep none of the images of the plan'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l keep-host -d 'Prefix the path of each image with its host, so that images of different registries never conflict'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l other-tags -d 'Also delete manifests that have tags outside the plans, or are parts of image indexes that have such tags'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l apply -d 'Delete the manifests instead of listing them'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "plan" -d 'Plan a mirror: the images of a part of a catalog, their sizes and their destinations'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "copy" -d 'Copy the content of a plan into a registry or an archive'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "load" -d 'Load an archive into a registry'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "manifests" -d 'Write the cluster configuration for the mirrored images of a plan'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Verify that a registry or an archive contains the content of a plan'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Show the images that a new plan adds and drops, and their sizes'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "schema" -d 'Print the JSON Schema of a plan, a result or the list of an archive'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "delete" -d 'Delete the images of a plan from a registry, except those of other plans'
complete -c opmx -n "__fish_opmx_using_subcommand mirror; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "add" -d 'Add bundles to a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "rm" -d 'Remove packages from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "prune" -d 'Keep some packages of a database file, and remove all others'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "prune-stranded" -d 'Remove bundles that are not in any channel from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "promote" -d 'Publish bundles of a database in additional channels'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "deprecatetruncate" -d 'Deprecate bundles, and truncate their channels below them'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and not __fish_seen_subcommand_from add rm prune prune-stranded promote deprecatetruncate serve help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s b -l bundle-images -d 'Bundles to add, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l bundles-from -d 'Add the bundles that are listed in this file, or on standard input (-), one per line' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l mode -d 'Mode for placing a new bundle in its channels: replaces, semver or semver-skippatch' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l if-exists -d 'Action for a bundle that is already in the index: error, or skip if content and image are the same' -r -f -a "error\t''
skip\t''"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l allow-media-types -d 'Accept only bundles of these media types (registry+v1, k8s+v1); the clusters that use the index must support them' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l record-as -d 'Reference under which the bundle will be published, to store in the index; only for a single bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l dry-run -d 'Print the changes to the graph without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l permissive -d 'Skip bundles that cannot be fetched or read, unless none can be; exit with status 1 if any was skipped'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l overwrite-latest -d 'Overwrite a bundle of the same name if it is the head of all its channels'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l enable-alpha -d 'Accept bundles with the annotation olm.substitutesFor'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l by-reference -d 'Store a reference to a k8s+v1 bundle instead of its content, for versions of OLM that support this media type'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s o -l packages -d 'Packages to remove, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l permissive -d 'Ignore packages that are not in the index'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s p -l packages -d 'Packages to keep, separated by commas' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l with-dependencies -d 'Include packages that could satisfy dependencies with these intents, or with any intent if INTENTS is omitted' -r -f -a "required\t'The bundle cannot be installed without the dependency'
recommended\t'The bundle is installed with the dependency if possible'
optional\t'The bundle uses the dependency if it is installed'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l permissive -d 'Ignore packages that are not in the index'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from prune-stranded" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s c -l channel -d 'Channels to publish the bundles in, separated by commas; missing channels are created' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l mode -d 'Mode for placing the bundles in the channels' -r -f -a "replaces\t''
semver\t''
semver-skippatch\t''"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from promote" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s b -l bundle-images -d 'Bundles to deprecate, separated by commas: their names, or their images as stored in the index' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l permissive -d 'Ignore bundles that are not in the index'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l allow-package-removal -d 'Remove a package if the heads of all its channels are specified'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -l dry-run -d 'Print the changes without writing anything'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from deprecatetruncate" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s d -l database -d 'The database file' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l address -d 'Address to listen on [default: all addresses of the machine]' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s p -l port -d 'Port to listen on; 0 selects a free port' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s t -l termination-log -d 'File to which the reason is written if serving fails; the cluster shows the reason' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l metrics-address -d 'Serve metrics for Prometheus at http://ADDRESS:PORT/metrics; without ADDRESS, on all addresses' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l log-format -d 'Log the start, the end and all failures to standard error, as text or JSON; with -vv, also every call' -r -f -a "text\t'A line of text for each event'
json\t'A JSON object for each event'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l max-connections -d 'Maximum number of connections; if more clients connect, the least needed connection is closed [default: 4096, or fewer]' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l timeout-seconds -d 'Stop after this number of seconds; "infinite" for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add bundles to a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove packages from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Keep some packages of a database file, and remove all others'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "prune-stranded" -d 'Remove bundles that are not in any channel from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "promote" -d 'Publish bundles of a database in additional channels'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "deprecatetruncate" -d 'Deprecate bundles, and truncate their channels below them'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l catalog -d 'Index of operators: an image, a database or a folder with a file-based catalog; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l installed -d 'Name of an installed ClusterServiceVersion; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l starting-csv -d 'ClusterServiceVersion for the first installation' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s n -l namespace -d 'Namespace to install operators into [default: from the files, or operators]' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-steps -d 'Maximum number of candidates to try' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l olm -d 'Behave like this release of OLM, such as 0.28.0, or as the proposals describe' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error responses; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l cluster -l objects -d 'File or folder with output from a cluster, or - for standard input; may be repeated, also with --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l explain -d 'Explain for every candidate why it was or was not chosen'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l schema -d 'Print the JSON Schema of the file for --state'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand resolve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l address -d 'Address to listen on [default: all addresses of the machine]' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s p -l port -d 'Port to listen on; 0 selects a free port' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s t -l termination-log -d 'File to which the reason is written if serving fails; the cluster shows the reason' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l metrics-address -d 'Serve metrics for Prometheus at http://ADDRESS:PORT/metrics; without ADDRESS, on all addresses' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l log-format -d 'Log the start, the end and all failures to standard error, as text or JSON; with -vv, also every call' -r -f -a "text\t'A line of text for each event'
json\t'A JSON object for each event'"
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-connections -d 'Maximum number of connections; if more clients connect, the least needed connection is closed [default: 4096, or fewer]' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l timeout-seconds -d 'Stop after this number of seconds; "infinite" for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l cache-only -d 'Check the index without serving it'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s o -l output -d 'Language of the catalog' -r -f -a "json\t'JSON, indented like the output of opm'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l migrate-level -d 'Replace old forms of content with newer forms, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Replace manifests with olm.csv.metadata in bundles that have an image'
all\t'Replace all old forms'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand render" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand render" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand render" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand render" -l required-only -d 'Omit recommended and optional dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l migrate -d 'Replace all old forms of catalog content with newer forms'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand render" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s o -l output -d 'Language of the catalog' -r -f -a "json\t'JSON, indented like the output of opm'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l migrate-level -d 'Replace old forms of content with newer forms, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Replace manifests with olm.csv.metadata in bundles that have an image'
all\t'Replace all old forms'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l required-only -d 'Omit recommended and optional dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text: each finding with the affected line'
json\t'JSON, with stable field names'
yaml\t'YAML, with the same fields'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations of a GitHub workflow'
junit\t'JUnit XML, for test reports'"
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l max-total-size -d 'Maximum size of the catalog data that is kept in memory: names, edges, properties and findings' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand validate" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand init" -s c -l default-channel -d 'Default channel' -r
complete -c opmx -n "__fish_opmx_using_subcommand init" -s d -l description -d 'File that describes the operator, such as its README.md; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand init" -s i -l icon -d 'File with the icon of the operator' -r
complete -c opmx -n "__fish_opmx_using_subcommand init" -s o -l output -d 'Language of the document' -r -f -a "json\t'JSON, indented like the output of opm'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand init" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand init" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand init" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -f -a "dockerfile" -d 'Write DIR.Dockerfile, which builds the image of the catalog in DIR'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and not __fish_seen_subcommand_from dockerfile help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s i -l base-image -d 'Base image; "scratch" for an image without a program' -r
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s b -l builder-image -d 'Image whose /bin/opm creates the cache' -r
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s l -l extra-labels -d 'Additional labels, separated by commas; for a repeated label, the last value applies' -r
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from dockerfile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "dockerfile" -d 'Write DIR.Dockerfile, which builds the image of the catalog in DIR'
complete -c opmx -n "__fish_opmx_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l catalog -d 'Name of the CatalogSource that contains the bundle [default: catalog]' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l catalog-namespace -d 'Namespace of the CatalogSource' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l replaces -d 'Version to upgrade from, or "" for none [default: the version that the bundle replaces, or an installed version that it skips]' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l approval -d 'Approval of the plan [default: manual if a Subscription of the namespace requires it, otherwise automatic]' -r -f -a "automatic\t'By OLM'
manual\t'By a person'"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l without-recommended -d 'Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l with-optional -d 'Include this package if possible, although it is only an optional dependency; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-steps -d 'Maximum number of candidates to try' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l olm -d 'Behave like this release of OLM, such as 0.28.0, or as the proposals describe' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l index -d 'Index that contains the bundle, which is then specified by its name: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s n -l namespace -d 'Namespace to install into [default: from the files, or operators; for an Install, default]' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l media-type -d 'Read a bundle of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds' -r -f -a "registry+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error responses; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l cluster -l objects -d 'File or folder with output from a cluster, or - for standard input; may be repeated, also with --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l repeat-properties -d 'List the dependencies of the bundle twice among its properties, as OLM does with file-based catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l as -d 'Print this output instead of the review' -r -f -a "role\t'Roles and ClusterRoles with their bindings, which grant the missing permissions'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l user -d 'User who would approve the installation and use the catalogs' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l group -d 'Group of the user; may be repeated. Without --user, any member of these groups is checked' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l catalog -d 'CatalogSource that the user would use (this requires the verb install on it); may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l policy -d 'File with the allowed kinds, permissions, registries and catalogs; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l service-account -d 'Service account of the installation [default: from the OperatorGroup in the files]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l olm -d 'Behave like this release of OLM, such as 0.28.0, or as the proposals describe' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l index -d 'Index that contains the bundle, which is then specified by its name: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s n -l namespace -d 'Namespace to install into [default: from the files, or operators; for an Install, default]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l media-type -d 'Read a bundle of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds' -r -f -a "registry+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error responses; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l cluster -l objects -d 'File or folder with output from a cluster, or - for standard input; may be repeated, also with --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l exit-code -d 'Exit with status 3 if permissions are missing'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -a "diff" -d 'Show the permissions of an upgrade that were not approved for earlier versions'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and not __fish_seen_subcommand_from diff help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l package -d 'Package in the index whose published head counts as approved' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l channel -d 'Channel whose head counts as approved [default: the default channel]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l service-account -d 'Service account of the installation [default: from the OperatorGroup in the files]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l olm -d 'Behave like this release of OLM, such as 0.28.0, or as the proposals describe' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l index -d 'Index that contains the bundle, which is then specified by its name: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s n -l namespace -d 'Namespace to install into [default: from the files, or operators; for an Install, default]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l media-type -d 'Read a bundle of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds' -r -f -a "registry+v1\t''"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l state -d 'What-if file that describes the cluster: its APIs, objects, grants and error responses; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l cluster -l objects -d 'File or folder with output from a cluster, or - for standard input; may be repeated, also with --state' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Show the permissions of an upgrade that were not approved for earlier versions'
complete -c opmx -n "__fish_opmx_using_subcommand permissions; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l state -d 'What-if file with the installed operators and their conditions; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l catalog -d 'Index to search for updates: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -a "init" -d 'Print a condition resource, and the permission to write it'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and not __fish_seen_subcommand_from init help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l name -d 'Name of the ClusterServiceVersion, and of the resource' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l namespace -d 'Namespace of the operator' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l service-account -d 'Service account of the operator; may be repeated [default: default]' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l deployment -d 'Deployment whose containers get the name of the resource in OPERATOR_CONDITION_NAME; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l operator -d 'Operator that the resource is a component of, such as etcd.operators, for the label operators.coreos.com/NAME' -r
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l kind -d 'Resource to print: the resource that OLM serves, or the resource that was first proposed' -r -f -a "operator-condition\t'OperatorCondition, as served by OLM'
condition\t'Condition, as in the proposal operator-conditions; no released OLM supports it'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from help" -f -a "init" -d 'Print a condition resource, and the permission to write it'
complete -c opmx -n "__fish_opmx_using_subcommand upgrade-check; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l state -d 'What-if file with the objects of the cluster; - for standard input' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l name -d 'Operator to show, if there are several' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l catalog -d 'Index to search for updates: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l bundle -d 'Bundle to compare the components with: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l label-style -d 'Style of the component label' -r -f -a "shipped\t'operators.coreos.com/NAME, as set by OLM'
versioned\t'v2alpha1.operators.coreos.com/NAME'
seed\t'operators.coreos.com/operator:v2alpha1/NAME, as originally proposed; rejected by clusters'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l all-conditions -d 'Also show conditions with the expected status'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -a "crds" -d 'Print the CustomResourceDefinitions of Operator, Install and Condition'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -a "migrate" -d 'Print the Operators and Installs that replace Subscriptions and OperatorGroups'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and not __fish_seen_subcommand_from crds migrate help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from crds" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l catalog -d 'Index that contains installed bundles, for the CatalogSource NAME or for all CatalogSources; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s o -l output -d 'Output format' -r -f -a "text\t'Human-readable text'
json\t'JSON, with stable field names'
yaml\t'The same fields as YAML'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from help" -f -a "crds" -d 'Print the CustomResourceDefinitions of Operator, Install and Condition'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from help" -f -a "migrate" -d 'Print the Operators and Installs that replace Subscriptions and OperatorGroups'
complete -c opmx -n "__fish_opmx_using_subcommand operator; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -f -a "render-template" -d 'Render the catalog that a template describes'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -f -a "convert-template" -d 'Convert a file-based catalog to a template'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and not __fish_seen_subcommand_from render-template convert-template help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s o -l output -d 'Language of the catalog' -r -f -a "json\t'JSON, indented as by opm'
yaml\t'YAML, with sorted keys'
mermaid\t'The channels as a Mermaid flowchart'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l migrate-level -d 'Replace old forms of content with newer forms, up to this level' -r -f -a "none\t'Change nothing'
bundle-object-to-csv-metadata\t'Replace manifests with olm.csv.metadata in bundles that have an image'
all\t'Replace all old forms'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l api-source -d 'Source in which to look up the kinds of the resources in RBAC rules; may be repeated' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l deny -d 'Treat warnings as errors' -r -f -a "warnings\t'All warnings'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l allow -d 'Do not report findings from these rules' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l authfile -d 'Credential file, in the format of docker and podman' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l ca-file -d 'Trust the certificates in this PEM file, in addition to those of the system' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l retries -d 'Number of retries when a registry fails, stalls or limits the rate' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l request-timeout -d 'Timeout for a manifest, a token or an error message, from the request to the last byte of the response' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l min-rate -d 'Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l cache-dir -d 'Folder for the cache of image layers' -r -F
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-image-size -d 'Maximum total size of the unpacked layers of an image' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l platform -d 'Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-file-size -d 'Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-files -d 'Maximum number of files in a bundle' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-total-size -d 'Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in memory' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-depth -d 'Maximum nesting of a YAML or JSON document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-documents -d 'Maximum number of documents in a YAML file' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-values -d 'Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle together' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l max-database-steps -d 'Maximum number of database engine steps; the engine executes about 50 million per second' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l required-only -d 'Omit recommended and optional dependencies'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l strict -d 'Report problems as errors even if they are usually tolerated in published content'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l skip-tls-verify -d 'Accept any certificate from a registry'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l use-http -d 'Use plain HTTP for registries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -l no-cache -d 'Do not use the layer cache'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from render-template" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s o -l output -d 'Language of the template' -r -f -a "json\t'JSON, indented like the output of opm'
yaml\t'YAML, with sorted keys'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l max-depth -d 'Maximum nesting of a catalog document, at most 127' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l max-values -d 'Maximum number of keys and values in a catalog document' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l max-total-size -d 'Maximum size of the catalog' -r
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from convert-template" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from help" -f -a "render-template" -d 'Render the catalog that a template describes'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from help" -f -a "convert-template" -d 'Convert a file-based catalog to a template'
complete -c opmx -n "__fish_opmx_using_subcommand alpha; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand completion" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand completion" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand completion" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand completion" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand man" -l color -d 'When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment disables it'
always\t'Also in pipes and files'
never\t'Never'"
complete -c opmx -n "__fish_opmx_using_subcommand man" -s v -l verbose -d 'Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries'
complete -c opmx -n "__fish_opmx_using_subcommand man" -s q -l quiet -d 'Print only results and errors, without progress, status messages or warnings'
complete -c opmx -n "__fish_opmx_using_subcommand man" -s h -l help -d 'Print help'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "bundle" -d 'Create, inspect and build bundles, one for each operator version'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "catalog" -d 'Change file-based catalogs, and build their images'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "index" -d 'Change and inspect indexes, from which OLM installs operators'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "mirror" -d 'Mirror catalogs and their images, for clusters without internet access'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "registry" -d 'Change and serve the database file of an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "resolve" -d 'Show what OLM would install or update to, without a cluster'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "serve" -d 'Serve an index or a file-based catalog to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "render" -d 'Print indexes, catalogs and bundles as one file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "migrate" -d 'Convert an index or a catalog to a folder with one file per package'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "validate" -d 'Check a file-based catalog: its documents, channels and bundles'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "init" -d 'Print the olm.package document for a new package in a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "generate" -d 'Generate a Dockerfile for a file-based catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "plan" -d 'Show the InstallPlan of a bundle, and its result on a cluster'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "permissions" -d 'Review the permissions that the installation of a bundle needs'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "upgrade-check" -d 'Check whether OLM would hold back the upgrade of an operator'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "operator" -d 'Show the components of an operator on a cluster, as one resource'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "alpha" -d 'Render and convert templates of file-based catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "completion" -d 'Print the completion script for a shell'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "man" -d 'Write the man pages, one for each command'
complete -c opmx -n "__fish_opmx_using_subcommand help; and not __fish_seen_subcommand_from bundle catalog index mirror registry resolve serve render migrate validate init generate plan permissions upgrade-check operator alpha completion man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "init" -d 'Start a bundle: write the metadata that raw manifests need'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "generate" -d 'Write annotations.yaml and bundle.Dockerfile, as opm does'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "synthesize" -d 'Print the ClusterServiceVersion of a bundle of plain manifests'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "build" -d 'Build the image of a bundle, without a container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "convert" -d 'Convert a bundle to the other media type'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "inspect" -d 'Show the content of a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "unpack" -d 'Write the files of a bundle image to a folder'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "schema" -d 'Print the JSON Schema of metadata/olm.yaml, or of annotations, findings or policy files'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "update" -d 'Update the folder of a bundle to the next release'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "validate" -d 'Check bundles, and report what to fix'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from bundle" -f -a "rules" -d 'List the rules, or explain one of them'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "add" -d 'Add bundles to channels of a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "rm" -d 'Remove packages, channels or bundles from a catalog'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "prune" -d 'Keep part of a catalog, and remove the rest'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "truncate" -d 'Remove the old versions of a package'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "deprecate" -d 'Deprecate a package, a channel or a bundle'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "undeprecate" -d 'Remove a deprecation'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "release" -d 'Release a version into all catalogs of a community repository'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "lifecycle" -d 'Set the maintenance phases and platforms of package versions'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "channel" -d 'Rename or copy a channel, or set the default channel'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "merge" -d 'Merge catalogs into a new one'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "fmt" -d 'Format the files of catalogs'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "build" -d 'Build the image of a file-based catalog, without a container daemon'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "add" -d 'Add bundles to an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "rm" -d 'Remove packages from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "prune" -d 'Keep some packages of an index image, and remove all others'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "prune-stranded" -d 'Remove bundles that are not in any channel from an index image'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "promote" -d 'Publish bundles of an index in additional channels'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "deprecatetruncate" -d 'Deprecate bundles, and truncate their channels below them'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "extract" -d 'Write packages of an index, with their dependencies, to a separate index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "export" -d 'Write the packages of an index as package manifests'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "from-fbc" -d 'Convert a file-based catalog to an index with a database'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "list" -d 'List the content of an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "graph" -d 'Draw the update graph of an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "page" -d 'Generate a static website from an index'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "diff" -d 'Show the differences between two indexes'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from index" -f -a "check" -d 'Check an index: its channels, its rows and the sizes of its manifests'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "plan" -d 'Plan a mirror: the images of a part of a catalog, their sizes and their destinations'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "copy" -d 'Copy the content of a plan into a registry or an archive'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "load" -d 'Load an archive into a registry'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "manifests" -d 'Write the cluster configuration for the mirrored images of a plan'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "verify" -d 'Verify that a registry or an archive contains the content of a plan'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "diff" -d 'Show the images that a new plan adds and drops, and their sizes'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "schema" -d 'Print the JSON Schema of a plan, a result or the list of an archive'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from mirror" -f -a "delete" -d 'Delete the images of a plan from a registry, except those of other plans'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "add" -d 'Add bundles to a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "rm" -d 'Remove packages from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "prune" -d 'Keep some packages of a database file, and remove all others'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "prune-stranded" -d 'Remove bundles that are not in any channel from a database file'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "promote" -d 'Publish bundles of a database in additional channels'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "deprecatetruncate" -d 'Deprecate bundles, and truncate their channels below them'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "serve" -d 'Serve a database file to OLM, over gRPC'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from generate" -f -a "dockerfile" -d 'Write DIR.Dockerfile, which builds the image of the catalog in DIR'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from permissions" -f -a "diff" -d 'Show the permissions of an upgrade that were not approved for earlier versions'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from upgrade-check" -f -a "init" -d 'Print a condition resource, and the permission to write it'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from operator" -f -a "crds" -d 'Print the CustomResourceDefinitions of Operator, Install and Condition'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from operator" -f -a "migrate" -d 'Print the Operators and Installs that replace Subscriptions and OperatorGroups'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from alpha" -f -a "render-template" -d 'Render the catalog that a template describes'
complete -c opmx -n "__fish_opmx_using_subcommand help; and __fish_seen_subcommand_from alpha" -f -a "convert-template" -d 'Convert a file-based catalog to a template'
