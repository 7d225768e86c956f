/** Whether a text is an address of the web, so that it can be shown as a link. */
export const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');

/** Whether a text is a path, with a query or without, so that a redirect to it leads to no other server. */
export const isLocalPath = (text: string): boolean => /^\/(?![/\\])[^\\\s]*$/.test(text);
