// Adds llama.cpp's build for a graphics processor. These builds are large, so the overrides of package.json leave them out of the installation.
// `npm run gpu -- vulkan` (or cuda, or off) keeps the choice in the state folder, and every later `npm ci` adds the same build again. Decision 098.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answerHelp } from './answer-help.ts'

const CHOICES = ['vulkan', 'cuda', 'off'] as const
type Choice = (typeof CHOICES)[number]

/** The version of node-llama-cpp that the digests below belong to. */
export const GPU_BUILDS_VERSION = '3.21.1'

/** Digest of each package, as the registry declares it. CUDA needs both of its packages. */
export const GPU_BUILDS: Readonly<Record<string, string>> = {
  'linux-x64-vulkan': 'sha512-flEeSzONQ6OIm5bYKLQf4eEnBzcC5WugFbyPUwkCqyyOFZ8pH0H9ulQ7ZNDLSIczeKneMRJornlyY1Hq7d3GDA==',
  'linux-x64-cuda': 'sha512-idsE55VoD/FbvLhnBC9krUJaUoC0XnebseAAnCpm/brKf61HEbu+idgbb5eN6mxkjLSrHtILprJ0nDcUJjVrFg==',
  'linux-x64-cuda-ext':
    'sha512-1PuURowccBcks3CCoMe1mTHh5vD0V5bFHMUEgtbI/OSDjpP+Pdbn+lf42CGUrepTzR8kCH1HovQ7d8q6/vuIKA==',
  'win-x64-vulkan': 'sha512-HJ237Azh5m4Sz+w3A1IU/fYLaSDOocskcfn2ILTgqTuuORCB86EMnu3Yt/XsNhRHTtEiwz1Q/E0mO4PLIbZLAA==',
  'win-x64-cuda': 'sha512-PLz70neFEMkQTlmJqG1ujUtCSgHasLPMxQ9rLkqQVmZYAXqkRj+45TIHCjdn3XqUeaoun0vrO9rRaxZ8NVq9jg==',
  'win-x64-cuda-ext': 'sha512-L2MxLVEYPDDe4O8EDWPmX6brldc9+Vt9hNoT/anj3pSnmrjkQcmaoKhHs6oP5qhEhb5Uog0rj6lgzNGtJO3p9Q==',
}

const isChoice = (text: string): text is Choice => (CHOICES as readonly string[]).includes(text)

/** The choice outlives `node_modules`, and is no part of the project. */
const choiceFile = (root: string): string => join(root, '.rag-ladder/gpu-build')

export function chooseGpuBuild(root: string, choice: Choice): void {
  mkdirSync(dirname(choiceFile(root)), { recursive: true })
  writeFileSync(choiceFile(root), `${choice}\n`)
}

function chosenBuild(root: string): Choice {
  const chosen = existsSync(choiceFile(root)) ? readFileSync(choiceFile(root), 'utf8').trim() : 'off'
  if (isChoice(chosen)) return chosen
  throw new Error(`${choiceFile(root)} holds "${chosen}", expected ${CHOICES.join(', ')}`)
}

/** Downloads a package by npm, with its registry, proxy and credentials, and returns the file. */
function packedByNpm(name: string, folder: string): string {
  const npm = process.env['npm_execpath']
  if (npm === undefined) throw new Error('run this by npm: npm run gpu -- vulkan')
  const args = [npm, 'pack', name, '--pack-destination', folder, '--silent']
  return join(folder, execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n').at(-1)!)
}

/** Makes `node_modules` match the choice, and returns the packages that were added. Throws where one cannot be fetched or is not the declared one. */
export function addGpuBuild(
  root: string,
  { platform, arch }: { platform: string; arch: string },
  pack = packedByNpm,
  builds = GPU_BUILDS,
): string[] {
  const choice = chosenBuild(root)
  const folderOf = (build: string): string => join(root, 'node_modules/@node-llama-cpp', build)
  const prefix = `${platform === 'win32' ? 'win' : platform}-${arch}-`
  const isWanted = (build: string): boolean => build.startsWith(`${prefix}${choice}`)
  for (const build of Object.keys(builds))
    if (!isWanted(build)) rmSync(folderOf(build), { recursive: true, force: true })
  if (choice === 'off') return []
  const wanted = Object.entries(builds).filter(([build]) => isWanted(build))
  if (wanted.length === 0) throw new Error(`llama.cpp has no ${choice} build for ${platform} on ${arch}`)
  return wanted.flatMap(([build, digest]) => {
    if (existsSync(join(folderOf(build), 'package.json'))) return []
    const temporary = mkdtempSync(join(tmpdir(), 'rag-ladder-gpu-'))
    const unfinished = `${folderOf(build)}.part`
    try {
      const file = pack(`@node-llama-cpp/${build}@${GPU_BUILDS_VERSION}`, temporary)
      const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
      if (found !== digest)
        throw new Error(`the package ${build} is not the declared one (expected ${digest}, found ${found})`)
      mkdirSync(unfinished, { recursive: true })
      execFileSync('tar', ['-xzf', file, '-C', unfinished, '--strip-components=1'])
      renameSync(unfinished, folderOf(build))
      return [build]
    } finally {
      rmSync(temporary, { recursive: true, force: true })
      rmSync(unfinished, { recursive: true, force: true })
    }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  answerHelp('npm run gpu -- vulkan|cuda|off: adds a build of llama.cpp for the graphics processor, or removes it')
  const root = fileURLToPath(new URL('..', import.meta.url))
  const [wanted] = process.argv.slice(2)
  try {
    if (wanted !== undefined && !isChoice(wanted))
      throw new Error(`unknown build "${wanted}", expected ${CHOICES.join(', ')}`)
    if (wanted !== undefined) chooseGpuBuild(root, wanted)
    const added = addGpuBuild(root, process)
    if (wanted !== undefined || added.length > 0)
      process.stdout.write(
        `graphics processor: ${added.length > 0 ? `added ${added.join(', ')}` : chosenBuild(root)}\n`,
      )
  } catch (error) {
    process.stderr.write(`No build of llama.cpp for the graphics processor was added: ${(error as Error).message}\n`)
    // An installation goes on without it: models then run on the processor.
    process.exitCode = wanted === undefined ? 0 : 1
  }
}
