import { readFile, writeFile } from 'node:fs/promises'
import { type Program, PROGRAMS, type Variable, VARIABLES } from '../contract/settings/variables.ts'
import { format } from 'oxfmt'
import { answerHelp } from './answer-help.ts'

const FILE = new URL('../docs/guide/settings.md', import.meta.url)

const INTRODUCTION = `# Settings

Every environment variable that the program reads, generated from \`contract/settings/variables.ts\` by \`npm run settings\`. An empty variable counts
as unset. An option of the command line or a setting of the control panel (Settings) replaces the variable in the same row. Credentials are never
printed, logged or stored in artifacts; the manifests name further variables for addresses and keys of models (\`\${NAME}\` and \`api_key_env\` in \`manifests/models.yaml\`).
`

const cell = (text: string): string => text.replaceAll('|', '\\|')
const code = (text: string): string => `\`${text}\``

function row(name: string, { form, default: value, what, option, setting, isSecret }: Variable): string {
  const instead = [option === undefined ? null : code(option), setting === undefined ? null : code(setting)]
  const shown = instead.filter((each) => each !== null).join(', ')
  const form_ = isSecret === true ? `${form} (secret)` : form
  return `| ${code(name)} | ${cell(what)} | ${cell(form_)} | ${value === null ? '–' : code(value)} | ${shown === '' ? '–' : shown} |`
}

async function page(): Promise<string> {
  const sections = (Object.entries(PROGRAMS) as [Program, string][]).map(([program, title]) => {
    const rows = Object.entries(VARIABLES).filter(([, { by }]) => by === program)
    const head = '| Variable | What it sets | Form | Default | Replaced by |\n| --- | --- | --- | --- | --- |'
    return `## ${title}\n\n${head}\n${rows.map(([name, variable]) => row(name, variable)).join('\n')}\n`
  })
  return (await format('page.md', [INTRODUCTION, ...sections].join('\n'))).code
}

/** Returns true when docs/guide/settings.md matches the table of variables. */
export const isSettingsPageCurrent = async (): Promise<boolean> =>
  (await readFile(FILE, 'utf8').catch(() => '')) === (await page())

if (import.meta.main) {
  answerHelp('npm run settings: writes docs/guide/settings.md and docs/platform.md')
  await writeFile(FILE, await page())
  console.log('docs/guide/settings.md written')
}
