/** The noreply address of an account, for commits through the API by accounts without a public e-mail address. */
export const noreplyAddress = (account: { id: number; login: string }, host: string): string =>
  `${account.id}+${account.login}@users.noreply.${host}`;

/** The account id in a noreply address; undefined for other addresses. */
export const accountIdOfNoreply = (address: string): number | undefined => {
  const id = /^(\d{1,15})\+[^@]+@users\.noreply\./.exec(address)?.[1];
  return id === undefined ? undefined : Number(id);
};
