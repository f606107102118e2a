import { recoverTornTail } from '../../evidence/recover-torn-tail.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { plural } from '../../report/score-format.ts'
import { EvidenceRefusedError } from '../../runner/resume-error.ts'
import { EXIT, type Command } from '../command.ts'

export const recoverCommand: Command = {
  name: 'recover',
  summary: 'Move the unfinished last line of an evidence file aside, so that the run can be resumed.',
  positionals: '<evidence.jsonl>',
  options: {},
  async run({ positionals, stdout }) {
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0) throw new InputError(['name one evidence file'])
    const outcome = await recoverTornTail(file)
    if (!outcome.ok) throw new EvidenceRefusedError(outcome.refusal)
    stdout.write(
      `${plural(outcome.rows, 'row')} kept; the ${plural(outcome.movedBytes, 'byte')} after that moved to ${outcome.movedTo}\n`,
    )
    return EXIT.ok
  },
}
