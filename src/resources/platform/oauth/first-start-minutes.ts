/** How long the address of a first start lasts. It is apart, since the command line needs it before the server's modules load. */
export const firstStartMinutes = 30;
