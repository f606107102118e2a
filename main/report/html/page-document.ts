import { hash } from 'node:crypto'
import { h, raw, type Child } from './markup.ts'
import { NO_DIGEST, PAGE_DIGEST, withDigest } from './page-digest.ts'
import { PAGE_STYLE } from './page-style.ts'

const hashSource = (source: string): string => `'sha256-${hash('sha256', source, 'base64')}'`

/** Nothing may be loaded but what is beside the page, and nothing may run but the page's own script. */
const policyOf = (script: string | null): string =>
  [
    `default-src 'none'`,
    `style-src ${hashSource(PAGE_STYLE)}`,
    ...(script === null ? [] : [`script-src ${hashSource(script)}`, `connect-src 'self'`]),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')

/** A page as one HTML file, in both themes, that loads nothing from elsewhere and holds its own digest; `script` is the only one that may run on it. */
export function pageDocument(title: string, script: string | null, ...body: Child[]): string {
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      {},
      h('meta', { charset: 'utf-8' }),
      h('meta', { 'http-equiv': 'Content-Security-Policy', content: policyOf(script) }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'referrer', content: 'no-referrer' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('meta', { name: PAGE_DIGEST, content: NO_DIGEST }),
      h('title', {}, title),
      h('style', {}, raw(PAGE_STYLE)),
    ),
    h('body', {}, body, script === null ? null : h('script', {}, raw(script))),
  )
  return withDigest(`<!doctype html>\n${page.html}\n`)
}
