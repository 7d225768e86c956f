/** Plain e-mail addresses in ASCII, as browsers check them; without quotes and comments, and so without what Git's identities can't hold. */
export const emailPattern = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\\-]+@[A-Za-z0-9](?:[A-Za-z0-9.\\-]*[A-Za-z0-9])?$";

const pattern = new RegExp(emailPattern);
const maxLength = 254;

export const isEmailAddress = (text: string): boolean => text.length <= maxLength && pattern.test(text);
