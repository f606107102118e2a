import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page } from '@playwright/test'
import { IS_DESKTOP, test as base } from '../helpers/panel-page.ts'

/** A foreign site, which logs its visitors. */
const test = base.extend<{ stranger: { url: string; visits: string[] } }>({
  stranger: async ({ browserName: _ }, use) => {
    const visits: string[] = []
    const server = createServer((request, response) => {
      visits.push(request.url ?? '')
      response.setHeader('access-control-allow-origin', '*')
      if (request.url === '/back') response.writeHead(302, { location: '/landed' })
      response.setHeader('content-type', 'text/html')
      response.end('<title>a stranger</title>')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, visits })
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  },
})

/** Evaluates in the page without Playwright's own waiting, which never ends for a navigation that was refused. */
async function evaluate(page: Page, expression: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
    userGesture: true,
  })
  await session.detach()
  return result.value
}

/** Runs in the page, as evidence that got that far would; what came of it as text. */
const attempt = async (page: Page, code: string): Promise<string> =>
  String(await evaluate(page, `(async () => { ${code} })().then(String, (error) => 'refused: ' + error.name)`))

const bodyText = (page: Page): Promise<unknown> => evaluate(page, 'document.body.innerText')

const addLink = (url: string, attributes = ''): string =>
  `document.body.insertAdjacentHTML('beforeend', '<a id="way-out" href="${url}" ${attributes} style="position:fixed;top:0;left:0;z-index:9999">out</a>')`

test.use({ mayComplain: true })
test.beforeEach(async ({ page, open }) => {
  await open('/')
  await expect(page.getByText('Last results')).toBeVisible()
})

test('nothing of a foreign origin is loaded: no script, frame, picture, call, form, plug-in or worker', async ({
  page,
  stranger,
}) => {
  const { url } = stranger
  expect(await attempt(page, `await fetch('${url}/fetch'); return 'loaded'`)).toBe('refused: TypeError')
  expect(await attempt(page, `return navigator.sendBeacon('${url}/beacon', 'x')`)).toMatch(/true|false|refused/)
  const socket = `return new Promise((done) => { const way = new WebSocket('${url.replace('http', 'ws')}/ws')
    way.onopen = () => done('open'); way.onerror = () => done('refused') })`
  expect(await attempt(page, socket)).toContain('refused')
  for (const [element, attribute] of [
    ['script', 'src'],
    ['iframe', 'src'],
    ['img', 'src'],
    ['object', 'data'],
    ['embed', 'src'],
    ['link rel=stylesheet', 'href'],
    ['audio', 'src'],
  ]) {
    const [name, more = ''] = element!.split(' ')
    await attempt(
      page,
      `const made = document.createElement('${name!}')
       for (const pair of '${more}'.split(' ').filter(Boolean)) made.setAttribute(...pair.split('='))
       made.setAttribute('${attribute!}', '${url}/${name!}')
       document.body.append(made)`,
    )
  }
  expect(await attempt(page, `new Worker('${url}/worker'); return 'made'`)).toMatch(/refused|made/)
  const form = `const form = Object.assign(document.createElement('form'), { action: '${url}/form', method: 'post' })
    document.body.append(form); form.submit()`
  await attempt(page, form)
  expect(await attempt(page, `await import('${url}/module.js'); return 'loaded'`)).toContain('refused')
  // A call of our own comes back after all of these would have.
  await evaluate(page, `fetch('./index.html').then((answer) => answer.text())`)
  expect(stranger.visits).toEqual([])
  expect(await bodyText(page)).toContain('Last results')
})

test('nothing written into the page runs: no inline script, no handler, no javascript: address, no eval', async ({
  page,
}) => {
  await attempt(page, `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.__escaped = 1">')`)
  await attempt(
    page,
    `document.body.append(Object.assign(document.createElement('script'), { text: 'window.__escaped = 2' }))`,
  )
  await evaluate(page, addLink('javascript:window.__escaped=3'))
  await evaluate(page, `document.getElementById('way-out').click()`)
  expect(await evaluate(page, 'window.__escaped')).toBeUndefined()
  const script = `document.body.append(Object.assign(document.createElement('script'), { src: URL.createObjectURL(
    new Blob(['window.__escaped = 4'], { type: 'text/javascript' })) }))`
  await attempt(page, script)
  await evaluate(page, `fetch('./index.html').then((answer) => answer.text())`)
  expect(await evaluate(page, 'window.__escaped')).toBeUndefined()
})

test('no permission is given: place, camera, notifications, clipboard, devices', async ({ page }) => {
  const place = `return new Promise((done) => navigator.geolocation.getCurrentPosition(() => done('given'), (no) => done('refused ' + no.code)))`
  expect(await attempt(page, place)).toBe('refused 1')
  expect(await attempt(page, `await navigator.mediaDevices.getUserMedia({ video: true }); return 'given'`)).toMatch(
    /^refused/,
  )
  expect(await attempt(page, `await navigator.mediaDevices.getDisplayMedia({ video: true }); return 'given'`)).toMatch(
    /^refused/,
  )
  // A browser asks its user; the app has decided.
  if (!IS_DESKTOP) return
  expect(await attempt(page, `return Notification.requestPermission()`)).toMatch(/denied|refused/)
  expect(await attempt(page, `return navigator.clipboard.readText()`)).toMatch(/^refused/)
  expect(await attempt(page, `await navigator.usb.requestDevice({ filters: [] }); return 'given'`)).toMatch(/^refused/)
})

// A browser follows links wherever they lead; the app has no address bar to come back by.
test.describe('ways out of the window', { tag: '@desktop' }, () => {
  const windows = ({ app }: { app: import('@playwright/test').ElectronApplication }): Promise<number> =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

  test('links, new windows, redirects and scripts lead nowhere; a public https site is offered by name', async ({
    page,
    desktop,
    stranger,
  }) => {
    const { app } = desktop
    await app.evaluate(({ dialog, shell }) => {
      const seen = ((globalThis as { offered?: string[] }).offered = [] as string[])
      dialog.showMessageBox = (...given: unknown[]) => {
        const { message, detail } = given.at(-1) as { message: string; detail: string }
        seen.push(`${message} ${detail}`)
        return Promise.resolve({ response: seen.length === 1 ? 1 : 0, checkboxChecked: false })
      }
      shell.openExternal = async (link) => void seen.push(`opened ${link}`)
    })
    const offered = (): Promise<string[]> =>
      app.evaluate(() => (globalThis as unknown as { offered: string[] }).offered)
    const home = await evaluate(page, 'location.href')
    const leave = async (url: string, attributes = ''): Promise<void> => {
      await evaluate(page, addLink(url, attributes))
      await evaluate(page, `document.getElementById('way-out').click()`)
      await evaluate(page, `document.getElementById('way-out').remove()`)
    }
    await leave(`${stranger.url}/link`)
    await leave(`${stranger.url}/blank`, 'target=_blank')
    await leave(`${stranger.url}/back`)
    await leave('file:///etc/passwd')
    await leave('data:text/html,<h1>out</h1>')
    await leave('app://elsewhere/')
    await attempt(page, `location.href = '${stranger.url}/location'`)
    expect(await attempt(page, `return window.open('${stranger.url}/open')`)).toBe('null')
    expect(await attempt(page, `return window.open('app://panel/')`)).toBe('null')
    expect(await offered()).toEqual([])

    await leave('https://example.org/paper', 'target=_blank')
    await expect.poll(offered).toEqual(['Open example.org in your browser? https://example.org/paper'])
    await leave('https://example.org/again')
    await expect.poll(offered).toContain('opened https://example.org/again')
    expect(await offered()).toHaveLength(3)

    expect(stranger.visits).toEqual([])
    expect(await evaluate(page, 'location.href')).toBe(home)
    expect(await windows(desktop)).toBe(1)
    expect(await bodyText(page)).toContain('Last results')
  })

  test('a page that is not ours cannot call the shell, nor the engine', async ({ page, desktop }) => {
    // No page can do this, so the test does: a page that is not ours is in the window.
    await desktop.app.evaluate(async ({ BrowserWindow }) => {
      await BrowserWindow.getAllWindows()[0]!.loadURL('data:text/html,<title>not ours</title>')
    })
    await expect.poll(() => evaluate(page, 'document.title')).toBe('not ours')
    expect(await attempt(page, `return JSON.stringify(await window.ragLadderDesktop.describe())`)).toMatch(/^refused/)
    const call = `const answer = await fetch('app://panel/control/system/status', { method: 'POST', body: '{}' }); return answer.status`
    expect(await attempt(page, call)).toMatch(/^(refused|403)/)
  })
})
