/** The media that an endpoint may be asked for: JSON, or one of the API's other renderings. */
export type Media = 'json' | 'raw' | 'html' | 'text' | 'full' | 'object' | 'diff' | 'patch' | 'sha' | 'text-match' | 'star';
