const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people, such as "12.4 MB". */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
