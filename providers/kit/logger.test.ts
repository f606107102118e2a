import { expect, it } from 'vitest'
import { createLogger } from './logger.ts'

it('replaces credentials wherever a log line carries headers', () => {
  const lines: string[] = []
  const logger = createLogger('test', 'info', { write: (line) => lines.push(line) })
  const secrets = { authorization: 'Bearer hush', apikey: 'hush', 'x-api-key': 'hush', cookie: 'hush', kept: 'plain' }
  logger.info(secrets)
  logger.info({ headers: secrets })
  logger.info({ req: { headers: secrets } })
  logger.info({ upstream: { headers: secrets, ...secrets } })
  expect(lines).toHaveLength(4)
  expect(lines.join('')).not.toContain('hush')
  expect(lines.every((line) => line.includes('plain'))).toBe(true)
})
