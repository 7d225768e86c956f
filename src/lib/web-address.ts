/** Whether a text is a web address, so that it can be shown as a link. */
export const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');

/** Whether a text is a path, with or without a query, so that a redirect to it doesn't lead to another server. */
export const isLocalPath = (text: string): boolean => /^\/(?![/\\])[^\\\s]*$/.test(text);
