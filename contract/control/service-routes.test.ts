import { describe, expect, it } from 'vitest'
import { serviceDescriptor } from './service-list.ts'
import { findServiceRoute, serviceUrl } from './service-routes.ts'
import { ServiceName } from './services.ts'

const found = (method: string, path: string) => findServiceRoute('tts', method, path)?.path ?? null

describe('findServiceRoute', () => {
  it('takes declared routes, names and ids with slashes included', () => {
    expect(found('GET', '/voices')).toBe('/voices')
    expect(found('DELETE', '/voices/Anna%20B.')).toBe('/voices/Anna%20B.')
    expect(found('POST', '/v1/models/speaches-ai/Kokoro-82M-v1.0')).toBe('/v1/models/speaches-ai/Kokoro-82M-v1.0')
    expect(findServiceRoute('stt', 'POST', '/v1/audio/transcriptions')!.route.maxBodyBytes).toBe(256 * 1024 * 1024)
  })

  it.each([
    ['GET', '/voices/a/b'],
    ['POST', '/health'],
    ['PATCH', '/voices/a'],
    ['GET', 'voices'],
    ['GET', '/voices/'],
    ['GET', '/voices/..'],
    ['GET', '/v1/models/../../health'],
    ['GET', '/v1/models/%2e%2e/x'],
    ['GET', '/v1/models/a%2f..%2fb'],
    ['GET', '/v1/models/a%5Cb'],
    ['GET', '/v1/models/a%00b'],
    ['GET', '/v1/models/%zz'],
    ['GET', '//voices'],
  ])('refuses %s %s', (method, path) => expect(found(method, path)).toBeNull())

  it('declares routes for every service, each with a path that it finds', () => {
    for (const name of ServiceName.options)
      for (const { method, path } of serviceDescriptor(name).routes)
        expect(findServiceRoute(name, method, path.replaceAll(/:\w+|\*/g, 'x'))?.route.path, path).toBe(path)
    expect(serviceUrl('tts', '/health')).toBe('/control/services/tts/proxy/health')
  })
})
