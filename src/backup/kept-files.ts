/** The files that backups keep: release assets, artifacts, results of tools, and logs of jobs. Caches can be rebuilt. */
export const keptFiles = `select object_key, digest, size from release_assets
  union all select object_key, digest, size from artifacts where object_key is not null
  union all select object_key, digest, null from code_scanning_uploads u
    where state = 'pending' or exists (select from code_scanning_analyses a where a.upload_id = u.id)
  union all select log_key, log_digest, null from workflow_jobs where log_digest is not null and carried_from is null`;
