// Trims characters from the ends of texts. A regular expression such as `/_+$/` rescans a run that isn't at the end from each of
// its characters, which takes quadratic time on a crafted text.

/** A text without any of these characters at its end. They must be in the basic plane. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A text without any of these characters at either end. */
export function trimOf(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return trimEndOf(text.slice(start), characters);
}
