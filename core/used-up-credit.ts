import type { ModelProbe, ModelTest } from '../contract/control/models.ts'

/** Matches what services say of a credit that is used up: waiting does not restore it. */
const USED_UP =
  /insufficient_quota|exceeded your current quota|billing|insufficient (?:credits?|balance|funds)|credit balance is too low/i

export const isUsedUp = (text: string): boolean => USED_UP.test(text)

const REMEDY = 'The credit at the service is used up: add some there, or choose a model of another service.'

function withRemedy(probe: ModelProbe): ModelProbe {
  if (probe.error !== null && isUsedUp(probe.error)) return { ...probe, status: 'failed', remedy: REMEDY }
  return probe.status === 'limited' ? { ...probe, status: 'skipped' } : probe
}

/** A test of models whose credit is used up has failed: services refuse such calls with the status of a limit, which would be tried again. */
export const withoutCredit = (test: ModelTest): ModelTest =>
  test.probes.some(({ error }) => error !== null && isUsedUp(error))
    ? { ...test, works: false, probes: test.probes.map(withRemedy) }
    : test
