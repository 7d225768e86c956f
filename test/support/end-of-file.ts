const cleanUps: (() => Promise<unknown>)[] = [];

/** Does this after the last test of the file, wherever it is called: `afterAll` does nothing inside a test. */
export const atEndOfFile = (cleanUp: () => Promise<unknown>): void => void cleanUps.push(cleanUp);

/** The last first, as each may need those before it. */
export async function cleanUp(): Promise<void> {
  for (const work of cleanUps.splice(0).reverse()) await work();
}
