import { isFailure, type GateCheck } from './gate.ts'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text of an attribute; characters that XML 1.0 does not have are left out. */
const attribute = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"]/g, (found) => ESCAPES[found]!)

/**
 * The checks in the form of JUnit, as build servers read it: a suite per dataset, a case per approach. What is worse or lost is a failure, what could not be
 * decided an error.
 */
export function gateJUnit(name: string, checks: readonly GateCheck[]): string {
  const counts = (of: readonly GateCheck[]): string =>
    `tests="${of.length}" failures="${of.filter(isFailure).length}" errors="${of.filter((check) => !check.passed && !isFailure(check)).length}"`
  const suites = [...Map.groupBy(checks, ({ dataset }) => dataset)].flatMap(([dataset, of]) => [
    `  <testsuite name="${attribute(dataset)}" ${counts(of)}>`,
    ...of.map((check) => {
      const { model, passed, state, sentence } = check
      const head = `    <testcase classname="${attribute(dataset)}" name="${attribute(model)}"`
      return passed
        ? `${head}><system-out>${attribute(sentence)}</system-out></testcase>`
        : `${head}><${isFailure(check) ? 'failure' : 'error'} type="${state}" message="${attribute(sentence)}"/></testcase>`
    }),
    '  </testsuite>',
  ])
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${attribute(name)}" ${counts(checks)}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}
