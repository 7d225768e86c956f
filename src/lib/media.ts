/** The media that clients can request: JSON, or another rendering of the API. */
export type Media = 'json' | 'raw' | 'html' | 'text' | 'full' | 'object' | 'diff' | 'patch' | 'sha' | 'text-match' | 'star';
