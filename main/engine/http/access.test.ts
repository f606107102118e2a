import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkControlCall, checkHost, cookieName, type AccessRules } from './access.ts'
import { PAGE_KEY_HEADER } from '../../../contract/control/system.ts'
import { openSessions, Sessions } from './sessions.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'

const token = 'launch-token-launch-token-launch-token'
const sessions = new Sessions(token)
const rules: AccessRules = { port: 4870, token, sessions, appOrigin: 'app://rag-ladder' }
const session = sessions.redeem(sessions.newLink().token)!
const cookie = `${cookieName(4870)}=${session.cookie}`
const page = { [PAGE_KEY_HEADER]: session.pageKey }
const json = { 'content-type': 'application/json' }
const own = { ...json, ...page, origin: 'http://127.0.0.1:4870' }
const call = (headers: IncomingHttpHeaders, method = 'POST') => {
  const access = checkControlCall(method, headers, rules)
  return access.ok ? access.caller : access.status
}

it.each([
  ['127.0.0.1:4870', true],
  ['localhost:4870', true],
  ['127.0.0.1', false],
  ['127.0.0.1:4871', false],
  ['evil.example:4870', false],
  ['127.0.0.1:4870.evil.example', false],
  [undefined, false],
])('checkHost: %s → %s', (host, ok) => expect(checkHost({ host }, rules).ok).toBe(ok))

describe('checkControlCall', () => {
  it('takes the launch token, with and without the app’s origin', () => {
    const bearer = { ...json, authorization: `Bearer ${token}` }
    expect(call(bearer)).toBe('host')
    expect(call({ ...bearer, origin: 'app://rag-ladder', 'sec-fetch-site': 'cross-site' })).toBe('host')
  })

  it('takes a session only from our own page', () => {
    expect(call({ ...own, cookie })).toBe('browser')
    expect(call({ ...own, cookie: `other=1; ${cookie}; more=2` })).toBe('browser')
    expect(call({ ...json, ...page, cookie })).toBe(401)
    expect(call({ ...json, ...page, cookie, origin: 'app://rag-ladder' })).toBe(401)
    expect(call({ ...json, cookie, origin: 'http://127.0.0.1:9999' })).toBe(403)
    expect(call({ ...json, cookie, origin: 'null' })).toBe(403)
    expect(call({ ...own, cookie, 'sec-fetch-site': 'same-site' })).toBe(403)
  })

  it('refuses a cookie that another program of this machine has taken', () => {
    const { [PAGE_KEY_HEADER]: _key, ...forged } = own
    expect(call({ ...forged, cookie })).toBe(401)
    const other = sessions.redeem(sessions.newLink().token)!
    expect(call({ ...own, cookie, [PAGE_KEY_HEADER]: other.pageKey })).toBe(401)
    expect(call({ ...own, cookie, [PAGE_KEY_HEADER]: session.cookie })).toBe(401)
    expect(call({ ...own, [PAGE_KEY_HEADER]: session.pageKey })).toBe(401)
  })

  it.each([
    ['nothing', {}],
    ['a wrong token', { authorization: 'Bearer wrong-token' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['the token as a cookie', { cookie: `${cookieName(4870)}=${token}` }],
    ['a session as a token', { authorization: `Bearer ${cookie.split('=')[1]!}` }],
    ['a wrong token beside a good session', { cookie, authorization: 'Bearer wrong' }],
    ['a session under another name', { cookie: cookie.replace('4870', '4871') }],
  ])('refuses %s', (_what, headers) => expect(call({ ...own, ...headers })).toBe(401))

  it('refuses what a form or an image of a foreign page can send', () => {
    expect(call({ ...own, cookie, 'content-type': 'application/x-www-form-urlencoded' })).toBe(415)
    expect(call({ ...own, cookie, 'content-type': 'text/plain' })).toBe(415)
    expect(call({ ...own, cookie, 'content-type': 'application/jsonp' })).toBe(415)
    expect(call({ ...own, cookie }, 'GET')).toBe(405)
  })
})

describe('Sessions', () => {
  it('opens a link once, and not after its time', () => {
    const { token: link, expiresAt } = sessions.newLink()
    expect(sessions.redeem(link)).not.toBeNull()
    expect(sessions.redeem(link)).toBeNull()
    expect(sessions.redeem(sessions.newLink().token, expiresAt + 60_000)).toBeNull()
    expect(sessions.redeem('made-up')).toBeNull()
  })

  it('accepts its own sessions in an engine that was started again with the same token, and no other', () => {
    const { cookie: session } = sessions.redeem(sessions.newLink().token)!
    expect(new Sessions(token).isValid(session)).toBe(true)
    expect(new Sessions('another-launch').isValid(session)).toBe(false)
    expect(sessions.isValid(session, Date.now() + 8 * 24 * 3_600_000)).toBe(false)
    const [version, expires, nonce, signature] = session.split('.')
    expect(sessions.isValid([version, `${Number(expires) + 1}`, nonce, signature].join('.'))).toBe(false)
    expect(sessions.isValid('')).toBe(false)
  })

  it('ends all sessions and links when asked, also for an engine that is started again', async () => {
    const file = join(await temporaryFolder('sessions'), 'sessions.json')
    const fail = (error: unknown): never => {
      throw error
    }
    const first = await openSessions(token, file, fail)
    const { cookie: ended } = first.redeem(first.newLink().token)!
    const { token: link } = first.newLink()
    expect(first.isValid(ended)).toBe(true)
    first.endAll()
    expect(first.isValid(ended)).toBe(false)
    expect(first.redeem(link)).toBeNull()
    const { cookie: later } = first.redeem(first.newLink().token, Date.now() + 1)!
    await expect.poll(() => existsSync(file)).toBe(true)
    const second = await openSessions(token, file, fail)
    expect([second.isValid(ended), second.isValid(later)]).toEqual([false, true])
    await writeFile(file, 'damaged')
    expect((await openSessions(token, file, fail)).isValid(ended)).toBe(false)
  })
})
