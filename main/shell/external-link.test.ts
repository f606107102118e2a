import { expect, it } from 'vitest'
import { isAppUrl } from './app-origin.ts'
import { externalLink } from './external-link.ts'

it.each([
  ['https://example.org/paper?id=1#s', 'https://example.org/paper?id=1#s'],
  ['https://EXAMPLE.org', 'https://example.org/'],
])('offers the public site %s', (address, offered) => expect(externalLink(address)).toBe(offered))

it.each([
  ['http://example.org/'],
  ['https://user:pass@example.org/'],
  ['https://example.org:8443/'],
  ['https://127.0.0.1/'],
  ['https://2130706433/'],
  ['https://[::1]/'],
  ['https://localhost/'],
  ['https://printer.local/'],
  ['https://intranet/'],
  ['file:///etc/passwd'],
  ['javascript:alert(1)'],
  ['smb://example.org/share'],
  ['ms-settings:'],
  ['app://panel/'],
  [`https://example.org/${'x'.repeat(3000)}`],
  ['no address'],
])('offers nothing for %s', (address) => expect(externalLink(address)).toBeNull())

it.each([
  ['app://panel/', true],
  ['app://panel/#/matrix?run=a', true],
  ['app://panel.evil.example/', false],
  ['app://other/', false],
  ['app://user@panel/', false],
  ['https://panel/', false],
  ['data:text/html,x', false],
  ['', false],
])('knows whether %s is a page of ours: %s', (address, isOurs) => expect(isAppUrl(address)).toBe(isOurs))
