-- Programs whose client ids are built in (`gh` and others) are OAuth apps that are made at their first use.
alter table apps drop constraint apps_built_in_check,
  add constraint apps_built_in_check
    check (built_in in ('actions', 'code_scanning', 'gh', 'git_credential_manager', 'vscode'));
