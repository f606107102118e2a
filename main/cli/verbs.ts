import { nearestName } from '../lib/text/nearest-name.ts'
import { sanitizeForTerminal } from '../lib/text/sanitize-for-terminal.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import type { Command, ExitCode, Invocation } from './command.ts'

// A command of several verbs: `rag-ladder dataset new my_notes` is the verb `new` of the command `dataset`. One table per command holds its
// verbs; dispatch, their number of arguments, errors and help come from here.

/** Describes what a verb gets: what its command loads for all verbs, the arguments after the verb, and how to print a line. */
export type VerbCall<Context extends object> = Context & {
  args: readonly string[]
  invocation: Invocation
  print: (text: string) => void
}

interface Verb<Call extends object> {
  usage: string
  about: string
  /** Least and greatest number of arguments. */
  takes: readonly [least: number, most: number]
  run: (call: Call) => Promise<ExitCode>
}

/** By name. */
export type VerbTable<Call extends object> = Readonly<Record<string, Verb<Call>>>
export type Verbs<Context extends object> = VerbTable<VerbCall<Context>>

interface VerbCommand<Context extends object> {
  name: string
  positionals: string
  options: Command['options']
  verbs: Verbs<Context>
  /** Loads what all verbs need; called when verb and number of arguments are valid. */
  load: (invocation: Invocation) => Promise<Context>
  /** The message of an error that means invalid input of these verbs; null for any other. */
  inputProblem?: (error: unknown) => string | null
}

/** The command of these verbs. Rejects as `verbOf` throws. */
export function commandOfVerbs<Context extends object>(command: VerbCommand<Context>): Command {
  const { name, positionals, options, verbs, load, inputProblem = () => null } = command
  return {
    name,
    positionals,
    options,
    verbs: Object.values(verbs).map(({ usage, about: work }) => [usage, work]),
    async run(invocation) {
      const { verb, args } = verbOf(name, verbs, invocation.positionals)
      const print = (text: string): void => void invocation.stdout.write(`${sanitizeForTerminal(text)}\n`)
      try {
        return await verb.run({ ...(await load(invocation)), args, invocation, print })
      } catch (error) {
        const problem = inputProblem(error)
        throw problem === null ? error : new InputError([problem])
      }
    },
  }
}

/** The verb that comes first and the arguments after it. An unknown verb or a wrong number of arguments is an `InputError` that lists what exists. */
export function verbOf<Call extends object>(
  command: string,
  verbs: VerbTable<Call>,
  [name = '', ...args]: readonly string[],
): { verb: Verb<Call>; args: string[] } {
  if (!Object.hasOwn(verbs, name)) {
    const meant = nearestName(name, Object.keys(verbs))
    const unknown = meant === null ? `unknown verb ${name}:` : `unknown verb ${name}, did you mean ${meant}?`
    throw new InputError([
      name === '' ? 'name a verb:' : unknown,
      ...Object.values(verbs).map(({ usage, about }) => `${command} ${usage}: ${about}`),
    ])
  }
  const verb = verbs[name]!
  const [least, most] = verb.takes
  if (args.length < least || args.length > most) throw new InputError([`usage: rag-ladder ${command} ${verb.usage}`])
  return { verb, args }
}
