/** The media that clients can request: JSON, another rendering of the API, the bytes of a file, or what a tool has found (SARIF). */
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
 * The media type of a file's bytes. It is the API's own, so that no browser runs a file of a repository as a page. A request that names a
 * version is answered with it: `application/vnd.service.v3.raw`.
 */
export const rawFileType = 'application/vnd.service.raw; charset=utf-8';
