import { defineConfig } from '@playwright/test'
import { SHORT_LIVED_PAGES } from '../helpers/short-lived-pages.ts'
import { DESKTOP_ONLY, shellSpecTitles } from './shell-specs.ts'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  SHORT_LIVED_PAGES,
]

/** A one-time link, a page on disk, a browser with a microphone of its own. */
const BROWSER_ONLY = ['engine.spec.ts', 'blinding.spec.ts', 'report-page.spec.ts', 'speech.spec.ts', 'voices.spec.ts']
/** Colours do not depend on the host: looked at once. */
const ONCE = /\bdark\b/
/** Set where nothing has run in a browser, or where all specs are wanted in both. */
const ALL = process.env['RAG_LADDER_SPECS'] === 'all'

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  // Each host keeps its own: the second one would wipe what the first one's failures left.
  outputDir: `../../out/e2e/${process.env.RAG_LADDER_SPEC_HOST ?? 'chromium'}`,
  // A wait costs nothing where the page is quick; a busy machine takes several times as long.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: 2,
  fullyParallel: true,
  reporter: [['list']],
  use: { viewport: { width: 1440, height: 900 } },
  projects: [
    // One host at a time: which one decides what `page` is (tests/helpers/panel-page.ts).
    process.env.RAG_LADDER_SPEC_HOST === 'electron'
      ? {
          name: 'electron',
          testIgnore: BROWSER_ONLY,
          grepInvert: ONCE,
          ...(ALL ? {} : { grep: shellSpecTitles() }),
        }
      : {
          name: 'chromium',
          testIgnore: DESKTOP_ONLY,
          grepInvert: /@desktop/,
          use: { launchOptions: { executablePath: process.env.RAG_LADDER_CHROMIUM ?? '/usr/bin/chromium', args } },
        },
  ],
})
