import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attribute, flag, html, joined, trustHtml } from '#html/template.ts';

test('texts are escaped, and templates are inserted as they are', () => {
  const name = `<b title="x">&'`;
  expect(String(html`<p title="${name}">${name}</p>`)).toBe(
    `<p title="&lt;b title=&quot;x&quot;&gt;&amp;'">&lt;b title=&quot;x&quot;&gt;&amp;'</p>`,
  );
  expect(String(html`<p>${html`<i>${name}</i>`}</p>`)).toBe(`<p><i>&lt;b title=&quot;x&quot;&gt;&amp;'</i></p>`);
  expect(String(html`${[1, 'a<', undefined, null, false, [html`<br>`]]}`)).toBe('1a&lt;<br>');
  expect(String(joined(['a', 'b', 'c'], ', '))).toBe('a, b, c');
});

test('no text ends the attribute or the element that it is in', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(String(html`<p title="${text}">${text}</p>`)).toMatch(/^<p title="[^"<>]*">[^<>"]*<\/p>$/);
    }),
  );
});

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JAVASCRIPT:x',
  'data:text/html,x',
  '//other.example/',
  '/\\other',
  'x',
])('the address %s is left out', (address) => {
  expect(String(html`<a href="${address}">x</a>`)).toBe('<a href="#">x</a>');
  expect(String(html`<form action="${address}"></form><img src="${address}">`)).not.toContain(address.trim().slice(0, 4));
});

test('addresses of this server and of the web are kept', () => {
  for (const address of ['/acme', '/', '?page=2', '#top', 'https://x.example/a', 'http://x.example', 'mailto:a@x.example'])
    expect(String(html`<a href="${address}">x</a>`)).toBe(`<a href="${address}">x</a>`);
  expect(String(html`<a href="/login?return_to=${'javascript:x'}">x</a>`)).toBe('<a href="/login?return_to=javascript:x">x</a>');
});

test('a template that inserts a text into a tag without quotes is refused', () => {
  expect(() => html`<p title=${'x'}>`).toThrow('double quotes');
  expect(() => html`<p title='${'x'}'>`).toThrow('double quotes');
  expect(() => html`<p ${'onclick="x"'}>`).toThrow('between attributes');
  expect(() => html`<p ${['onclick="x"']}>`).toThrow('between attributes');
  expect(String(html`<input${flag('checked', true)}${attribute('title', 'a"b')}${attribute('id', undefined)}>`)).toBe(
    '<input checked title="a&quot;b">',
  );
});

test('trusted HTML is inserted as it is', () => {
  expect(String(html`<p>${trustHtml('<i>x</i>')}</p>`)).toBe('<p><i>x</i></p>');
});
