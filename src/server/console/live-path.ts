/** The address of the events of pages that are kept current. */
export const livePath = '/_live';
