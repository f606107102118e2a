import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

/** The module itself gives a text of twice the length. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules of axe that compare colours: two thirds of its time. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const RULES = {
  all: {},
  colours: { runOnly: COLOUR_RULES },
  structure: { rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])) },
} satisfies Record<string, RunOptions>

export type AxeRules = keyof typeof RULES

/** Serious and critical findings of axe in a page, which has no frames: one line each. */
export async function axeFindings(page: Page, rules: AxeRules): Promise<string[]> {
  // To read its source takes longer than to look at most pages; a document that was looked at before has it.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(SOURCE)
  const options: RunOptions = { resultTypes: ['violations'], ...RULES[rules] }
  // Only the findings leave the page: everything that axe looked at takes as long to hand over as to look at.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
    )
}
