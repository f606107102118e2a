import type { OwnTrial } from '../../contract/control/own-approaches.ts'

/** Prints what one question to an own approach brought, and what a run could not measure of it. */
export function printTrial(trial: OwnTrial, print: (text: string) => void): void {
  const { question, got_sample: gotSample, problem, paths, log } = trial
  print(`Question: ${question}${gotSample ? ' (the program got one sample document)' : ''}`)
  if (problem !== null) {
    print(`No answer: ${problem}`)
    const lines = paths.map(({ path, value }) => `  ${path === '' ? '(root)' : path} = ${value}`)
    if (lines.length > 0) print(`The reply has:\n${lines.join('\n')}`)
    if (log !== '') print(`It wrote:\n${log}`)
    return
  }
  const { answer, passages, passage_count: count, text_tokens: tokens, usage, latency_ms: latency } = trial
  print(answer === null ? 'Answer: none, the model of the run answers from the passages' : `Answer: ${answer}`)
  print(`Passages: ${count === null ? 'not reported' : `${count}, ${tokens} tokens of text`}`)
  for (const [at, { title, document, score, text }] of (passages ?? []).entries())
    print(
      `  ${at + 1}. ${document ?? title}${score === null ? '' : ` (${score})`}: ${text.replaceAll(/\s+/g, ' ').slice(0, 120)}`,
    )
  const used = usage === null ? '' : `; tokens: ${usage.prompt} in, ${usage.completion} out`
  print(`Time: ${(latency / 1000).toFixed(2)} s${used}`)
  for (const line of trial.not_evaluable) print(`Not evaluable: ${line}`)
}
