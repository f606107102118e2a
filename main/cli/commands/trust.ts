import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { originOf, distrustAddresses, trustAddresses, trustedOrigins } from '../../lib/trust/trusted-addresses.ts'
import { distrustFile, trustedFiles, trustFile } from '../../lib/trust/trusted-files.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, flag, flagOption, type Command } from '../command.ts'

const isFile = (name: string): boolean =>
  originOf(name) === null && statSync(resolve(name), { throwIfNoEntry: false })?.isFile() === true

export const trustCommand: Command = {
  name: 'trust',
  positionals: '<address|file…>',
  options: { remove: flag('do not allow it any more') },
  async run({ positionals, values, env, stdout }) {
    // A file that is gone is still allowed with its content, should it come back.
    const kept = flagOption({ values }, 'remove') ? trustedFiles(env) : []
    const files = positionals.filter((name) => isFile(name) || kept.includes(resolve(name)))
    const addresses = positionals.filter((name) => !files.includes(name))
    const wrong = addresses.filter((address) => originOf(address) === null)
    if (wrong.length > 0)
      throw new InputError(
        wrong.map((address) => `${address}: expected an address such as https://llm.example.com, or a file`),
      )
    if (flagOption({ values }, 'remove')) {
      distrustAddresses(addresses, env)
      for (const file of files) distrustFile(resolve(file), env)
    } else {
      trustAddresses(addresses, env)
      for (const file of files) trustFile(resolve(file), env)
    }
    const allowed = [...trustedOrigins(env), ...trustedFiles(env)]
    stdout.write(
      allowed.length === 0
        ? 'No address is allowed to get keys beyond their own services, and no file to set variables.\n'
        : `${allowed.join('\n')}\n`,
    )
    return EXIT.ok
  },
}
