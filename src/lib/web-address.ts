/** Whether a text is an address of the web, so that it can be shown as a link. */
export const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');
