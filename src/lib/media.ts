/**
 * The media types that clients can request: JSON, another rendering of the API, the bytes of a file, or a tool's results (SARIF).
 */
export type Media =
  | 'json'
  | 'raw'
  | 'html'
  | 'text'
  | 'full'
  | 'object'
  | 'diff'
  | 'patch'
  | 'sha'
  | 'text-match'
  | 'star'
  | 'repository'
  | 'bytes'
  | 'sarif';

/**
 * The media type of a file's bytes. It is the API's own, so that no browser opens a repository's file as a page. If the request
 * names a version, the reply has it too: `application/vnd.service.v3.raw`.
 */
export const rawFileType = 'application/vnd.service.raw; charset=utf-8';
