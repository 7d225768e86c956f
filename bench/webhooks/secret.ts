/** The secret that the measured hooks share with their receiver. */
export const secret = 'shared between both';
