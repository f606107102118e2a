import type { ModelProbe, ModelTest } from '../../../contract/control/models.ts'
import { recordWords, type ModelRecord } from '../../../contract/manifests/model-record.ts'
import { durationWords } from '../../../contract/words.ts'

const MARKS: Readonly<Record<ModelProbe['status'], string>> = {
  passed: '●',
  adapted: '●',
  failed: '▲',
  unsupported: '○',
  skipped: '○',
  limited: '○',
}

const PROBES: Readonly<Record<ModelProbe['probe'], string>> = {
  file: 'file',
  models: 'list of models',
  chat: 'answers',
  structured: 'JSON',
  extraction: 'extraction of the graph',
  critic: 'grading',
  judge: 'verdicts of a judge',
  tools: 'tools of the agent',
  embedding: 'embeddings',
  rerank: 'reranking',
}

const STATUS: Readonly<Record<ModelProbe['status'], string>> = {
  passed: 'works',
  adapted: 'works',
  failed: 'does not work',
  unsupported: 'not offered',
  skipped: 'not tested',
  limited: 'not tested, the service limits its requests: try again',
}

/** One kind of work, as one phrase: what, of which model, and what was found or is done instead. */
export function probeWords({ probe, model, latency_ms: latency, finding }: ModelProbe): string {
  const parts = [
    ...(model === null ? [] : [model]),
    ...(finding === null ? [] : [finding]),
    ...(latency === null ? [] : [durationWords(latency)]),
  ]
  return [PROBES[probe], ...parts].join(' · ')
}

/** A test for the terminal. */
export function testLines(name: string, { works, problems, probes, broken, records }: ModelTest): string[] {
  if (problems.length > 0) return [`${name}  not tested`, ...problems.map((problem) => `  ${problem}`)]
  if (probes.length === 0) return [`${name}  works: it answers by rules, without a model`]
  return [
    `${name}  ${headOf(works, probes)}`,
    ...probes.flatMap((probe, place) => [
      `  ${MARKS[probe.status]} ${STATUS[probe.status]}: ${probeWords(probe)}${probe.roles.length === 0 ? '' : ` (${probe.roles.join(', ')})`}`,
      // What is to be done about several failures is said once.
      ...[probe.error, probe.remedy === probes[place - 1]?.remedy ? null : probe.remedy].flatMap((text) =>
        text === null ? [] : [`      ${text}`],
      ),
    ]),
    ...(broken.length === 0
      ? []
      : [`  Cannot work: ${broken.join(', ')}. Give these roles another model before a run that needs them.`]),
    ...(records.length === 0 ? [] : ['  Known now, and used by the next run:', ...recordLines(records)]),
  ]
}

/** A limit of requests says nothing about what a model can do. */
const headOf = (works: boolean, probes: readonly ModelProbe[]): string =>
  !works
    ? 'does not work'
    : probes.some(({ status }) => status === 'limited')
      ? 'not known yet: the service limits its requests, try again'
      : 'works'

const recordLines = (records: readonly ModelRecord[]): string[] => records.map((record) => `    ${recordLine(record)}`)

export function recordLine(record: ModelRecord): string {
  const words = recordWords(record)
  return `${record.model} at ${record.address}: ${words.length === 0 ? 'nothing yet' : words.join(' · ')}`
}
