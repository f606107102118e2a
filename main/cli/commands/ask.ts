import {
  restsOnUsedPassages,
  shownPassage,
  usedPassageCount,
  type ShownPassage,
} from '../../../core/evidence/shown-passages.ts'
import { durationWords, plural } from '../../../contract/words.ts'
import { typedCommand } from '../../evidence/typed-command.ts'
import { createGatewayClient } from '../../lib/services/gateway-client.ts'
import { oneLine, sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { shorten } from '../../lib/text/terminal-text.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { callApproach, type CellAnswer } from '../../runner/cells/call-approach.ts'
import { EXIT, flag, flagOption, textOption, type Command } from '../command.ts'
import { pickOptions } from '../options.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'

interface AskedPassage {
  rank: number
  source: string
  text: string
}

/** One approach's answer as `--json` prints it. */
export interface Asked {
  model: string
  answer: string | null
  latency_ms: number
  sources: AskedPassage[]
  /** Holds what an engine of its own reports as used; empty where it reports nothing. */
  used_passages: AskedPassage[]
  error: string | null
}

const ranked = (passages: readonly ShownPassage[]): AskedPassage[] =>
  passages.map(({ name, text }, index) => ({ rank: index + 1, source: name, text }))

/** Returns what is printed of an answer, its contexts and the passages that its engine reports as used. */
export function askedOf(model: string, outcome: CellAnswer): Asked {
  const latency_ms = outcome.attempts.at(-1)?.latency_ms ?? 0
  if (!outcome.ok)
    return { model, answer: null, latency_ms, sources: [], used_passages: [], error: outcome.error.message }
  const { answer, sources, contexts, used_passages: used = [] } = outcome.evidence
  return {
    model,
    answer,
    latency_ms,
    // The text of a context is kept once, beside its source.
    sources: ranked(sources.map((source, at) => shownPassage({ ...source, text: contexts[at] ?? source.snippet }))),
    used_passages: ranked(used.map(shownPassage)),
    error: null,
  }
}

const PASSAGES_SHOWN = 5
const EXCERPT_COLUMNS = 100

/** The lines of an answer on a terminal. */
export function* askedLines({ model, answer, latency_ms, sources, used_passages, error }: Asked): Generator<string> {
  const isReported = restsOnUsedPassages(sources, used_passages)
  const shown = isReported ? used_passages : sources
  const counted = isReported ? usedPassageCount(shown.length) : plural(shown.length, 'source')
  yield `${model}  ${durationWords(latency_ms)}, ${counted}`
  if (error !== null) yield `  failed: ${oneLine(error)}`
  if (answer !== null)
    yield sanitizeForTerminal(answer)
      .split('\n')
      .map((line) => `  ${line}`)
      .join('\n')
  for (const { rank, source, text } of shown.slice(0, PASSAGES_SHOWN)) {
    const excerpt = shorten(oneLine(text), EXCERPT_COLUMNS)
    yield `    [${rank}] ${oneLine(source)}${excerpt === '' ? ', no passage reported' : `: ${excerpt}`}`
  }
  yield ''
}

export const askCommand: Command = {
  name: 'ask',
  positionals: '"QUESTION"',
  options: {
    ...pickOptions('project', 'manifest', 'dataset', 'models', 'model-set', 'gateway', 'platform'),
    json: flag('one JSON object per approach and line'),
  },
  async run(invocation) {
    const question = invocation.positionals[0]?.trim() ?? ''
    if (question === '') throw new InputError(['name the question: rag-ladder ask "How …?" --dataset ID'])
    if (textOption(invocation, 'dataset') === null) throw new InputError(['--dataset: name the dataset that is asked'])
    const setup = await setUpRun(invocation)
    const [dataset, ...more] = setup.datasets
    if (dataset === undefined || more.length > 0) throw new InputError(['--dataset: name one dataset'])
    const stop = listenForStop((message) => invocation.stderr.write(`${message}\n`), setup.root)
    const source = choosePlatform(setup, invocation, () => undefined)
    const platform = await source.start(dataset.profile.name, stop.drain)
    const { apiKey, edgeKey } = platform
    const client = createGatewayClient({ url: platform.url, apiKey, edgeKey })
    const timeoutMs = setup.experiment.evaluation.run.timeout_s * 1000
    let failed = 0
    try {
      // One after another, so that their times can be compared.
      for (const alias of setup.aliases) {
        if (stop.drain.aborted) return EXIT.interrupted
        const call = { model: alias.alias, query: question, capability: alias.evidence, timeoutMs, retries: 0 }
        const asked = askedOf(alias.alias, await callApproach(client, { ...call, signal: stop.abort }))
        if (asked.error !== null) failed += 1
        const lines = flagOption(invocation, 'json') ? [JSON.stringify(asked)] : [...askedLines(asked)]
        invocation.stdout.write(`${lines.join('\n')}\n`)
      }
      if (failed === setup.aliases.length) {
        const models = setup.aliases.map(({ alias }) => alias).join(',')
        const run = typedCommand(['ladder', '--dataset', dataset.dataset.id, '--models', models])
        invocation.stderr.write(
          `No approach could answer. If nothing is ingested for them yet, run them first: ${run}\n`,
        )
      }
    } finally {
      await client.close()
      await platform.stop()
      stop.dispose()
    }
    return failed === 0 ? EXIT.ok : EXIT.cellsFailed
  },
}
