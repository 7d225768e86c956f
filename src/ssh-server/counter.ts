/** Counts things, in total and by key. */
export class Counter {
  total = 0;
  readonly #byKey = new Map<string, number>();

  of(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  /** Adds one. The returned function removes it again, once. */
  enter(key: string): () => void {
    let isThere = true;
    this.#add(key, 1);
    return () => {
      if (isThere) this.#add(key, -1);
      isThere = false;
    };
  }

  #add(key: string, change: 1 | -1): void {
    this.total += change;
    const count = this.of(key) + change;
    if (count > 0) this.#byKey.set(key, count);
    else this.#byKey.delete(key);
  }
}
