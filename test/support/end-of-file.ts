const cleanUps: (() => Promise<unknown>)[] = [];

/** Runs this after the last test of the file, from anywhere: `afterAll` does nothing inside a test. */
export const atEndOfFile = (cleanUp: () => Promise<unknown>): void => void cleanUps.push(cleanUp);

/** In reverse order, since each may need earlier ones. */
export async function cleanUp(): Promise<void> {
  for (const work of cleanUps.splice(0).reverse()) await work();
}
