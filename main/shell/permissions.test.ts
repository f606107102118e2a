import { expect, it } from 'vitest'
import { isPermitted } from './permissions.ts'

const microphone = { permission: 'media', url: 'app://panel/#/speech', isMainFrame: true, media: ['audio'] }

it('gives our own pages the microphone', () => expect(isPermitted(microphone)).toBe(true))

it.each([
  ['another site', { url: 'https://example.org/' }],
  ['a frame', { isMainFrame: false }],
  ['the camera', { media: ['video'] }],
  ['the camera with it', { media: ['audio', 'video'] }],
  ['nothing named', { media: [] }],
  ['the place', { permission: 'geolocation' }],
  ['notifications', { permission: 'notifications' }],
  ['the clipboard', { permission: 'clipboard-read' }],
])('gives %s nothing', (_who, change) => expect(isPermitted({ ...microphone, ...change })).toBe(false))
