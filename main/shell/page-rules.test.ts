import { expect, it } from 'vitest'
import { externalLink, isAppUrl, isPermitted } from './page-rules.ts'

it.each([
  ['https://example.org/paper?id=1#s', 'https://example.org/paper?id=1#s'],
  ['https://EXAMPLE.org', 'https://example.org/'],
])('the public site %s may be opened in a browser', (address, offered) => expect(externalLink(address)).toBe(offered))

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
])('%s may not be opened in a browser', (address) => expect(externalLink(address)).toBeNull())

it.each([
  ['app://panel/', true],
  ['app://panel/#/matrix?run=a', true],
  ['app://panel.evil.example/', false],
  ['app://other/', false],
  ['app://user@panel/', false],
  ['https://panel/', false],
  ['data:text/html,x', false],
  ['', false],
])('%s is a page of the app: %s', (address, isOurs) => expect(isAppUrl(address)).toBe(isOurs))

const microphone = { permission: 'media', url: 'app://panel/#/tools/audio', isMainFrame: true, media: ['audio'] }

it('the app’s own pages may use the microphone', () => expect(isPermitted(microphone)).toBe(true))

it.each([
  ['another site', { url: 'https://example.org/' }],
  ['a frame', { isMainFrame: false }],
  ['the camera', { media: ['video'] }],
  ['the camera with it', { media: ['audio', 'video'] }],
  ['nothing named', { media: [] }],
  ['the location', { permission: 'geolocation' }],
  ['notifications', { permission: 'notifications' }],
  ['the clipboard', { permission: 'clipboard-read' }],
])('gives %s nothing', (_who, change) => expect(isPermitted({ ...microphone, ...change })).toBe(false))
