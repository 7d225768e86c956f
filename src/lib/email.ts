/**
 * Plain e-mail addresses in ASCII, by the rules of browsers. They have no quotes or comments, so Git's identities can hold them.
 */
export const emailPattern = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\\-]+@[A-Za-z0-9](?:[A-Za-z0-9.\\-]*[A-Za-z0-9])?$";

const pattern = new RegExp(emailPattern);
const maxLength = 254;

export const isEmailAddress = (text: string): boolean => text.length <= maxLength && pattern.test(text);
