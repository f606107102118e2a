import { defineConfig } from '@playwright/test'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A one-time link, a page on disk, a browser with a microphone of its own; and a browser has no shell. */
const BROWSER_ONLY = ['engine.spec.ts', 'blinding.spec.ts', 'report-page.spec.ts', 'speech.spec.ts', 'voices.spec.ts']
const DESKTOP_ONLY = ['desktop-*.spec.ts']
/** Colours do not depend on the host: looked at once. */
const ONCE = /\bdark\b/

/**
 * Pages that use nothing of the shell beyond what each page does. The app shows the same build of them over the same control API, so where
 * the browser has run these specs the desktop repeats only those that are tagged `@shell`: they hand files over, or take some.
 */
const PAGES_ALIKE =
  /(cell|compare|cost|coverage|datasets|flavors|judges|matrix|models|own-data|providers|result|runs)\.spec\.ts/
const BROWSER_HAS_RUN = process.env['RAG_LADDER_SPECS_IN_BROWSER'] === 'passed'

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  // Each host keeps its own: the second one would wipe what the first one's failures left.
  outputDir: `../../out/e2e/${process.env.RAG_LADDER_SPEC_HOST ?? 'chromium'}`,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 2,
  fullyParallel: true,
  reporter: [['list']],
  use: { viewport: { width: 1440, height: 900 } },
  // One host at a time: which one decides what `page` is (tests/helpers/panel-page.ts).
  projects:
    process.env.RAG_LADDER_SPEC_HOST === 'electron'
      ? [
          {
            name: 'electron',
            testIgnore: [...BROWSER_ONLY, ...(BROWSER_HAS_RUN ? [PAGES_ALIKE] : [])],
            grepInvert: ONCE,
          },
          ...(BROWSER_HAS_RUN ? [{ name: 'electron, files', testMatch: PAGES_ALIKE, grep: /@shell/ }] : []),
        ]
      : [
          {
            name: 'chromium',
            testIgnore: DESKTOP_ONLY,
            grepInvert: /@desktop/,
            use: { launchOptions: { executablePath: process.env.RAG_LADDER_CHROMIUM ?? '/usr/bin/chromium', args } },
          },
        ],
})
