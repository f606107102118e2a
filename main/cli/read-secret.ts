// Reads a secret from standard input: typed without echo at a terminal, or piped into the command. Never from an argument, which other users of the
// machine and the shell's history could read.
import { text } from 'node:stream/consumers'
import { InputError } from '../manifests/runner-inputs.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACES = ['\u007f', '\b']

/** More than any key has; a file that was piped in by mistake is not read to its end. */
const MAX_CHARACTERS = 16_384

/** The secret without the end of its line. Throws `InputError` when the user cancels or enters nothing. */
export async function readSecret(
  prompt: string,
  input: NodeJS.ReadStream = process.stdin,
  output: Pick<NodeJS.WriteStream, 'write'> = process.stderr,
): Promise<string> {
  const secret = input.isTTY ? await typed(prompt, input, output) : (await text(input)).replace(/\r?\n$/, '')
  if (secret.trim() === '')
    throw new InputError(['no key was given: type it at the prompt, or pipe it into the command'])
  return secret
}

async function typed(
  prompt: string,
  input: NodeJS.ReadStream,
  output: Pick<NodeJS.WriteStream, 'write'>,
): Promise<string> {
  output.write(prompt)
  input.setRawMode(true)
  input.setEncoding('utf8')
  input.resume()
  try {
    return await new Promise<string>((done, fail) => {
      let secret = ''
      const read = (part: string): void => {
        // A pasted key comes in one piece, with or without the end of its line.
        for (const sign of part) {
          if (sign === CTRL_C) {
            settle()
            fail(new InputError(['cancelled: no key was stored']))
            return
          }
          if (sign === '\r' || sign === '\n' || sign === CTRL_D) {
            ended()
            return
          }
          if (BACKSPACES.includes(sign)) secret = secret.slice(0, -1)
          else if (secret.length < MAX_CHARACTERS) secret += sign
        }
      }
      const settle = (): void => void input.off('data', read).off('end', ended)
      const ended = (): void => {
        settle()
        done(secret)
      }
      input.on('data', read).once('end', ended)
    })
  } finally {
    input.setRawMode(false)
    input.pause()
    output.write('\n')
  }
}
