/** The address that stands for an account in a commit made through the API when it shows no e-mail of its own. */
export const noreplyAddress = (account: { id: number; login: string }, host: string): string =>
  `${account.id}+${account.login}@users.noreply.${host}`;

/** The account id in such an address, or undefined. */
export const accountIdOfNoreply = (address: string): number | undefined => {
  const id = /^(\d{1,15})\+[^@]+@users\.noreply\./.exec(address)?.[1];
  return id === undefined ? undefined : Number(id);
};
