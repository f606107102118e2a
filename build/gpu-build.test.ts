import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { addGpuBuild, chooseGpuBuild, GPU_BUILDS, GPU_BUILDS_VERSION } from './gpu-build.ts'

const LINUX = { platform: 'linux', arch: 'x64' }

let root: string
let asked: string[]

/** A folder that is removed when the test has ended. */
function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A package as npm packs it, whose bytes are those that are declared unless `declared` says otherwise. */
function registry(declared?: string) {
  const made = temporaryFolder('rag-ladder-gpu-package-')
  mkdirSync(join(made, 'package'))
  writeFileSync(join(made, 'package/package.json'), JSON.stringify({ version: GPU_BUILDS_VERSION }))
  const file = join(made, 'packed.tgz')
  execFileSync('tar', ['-czf', file, '-C', made, 'package'])
  const digest = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  return {
    builds: { 'linux-x64-vulkan': declared ?? digest },
    pack: (name: string): string => {
      asked.push(name)
      return file
    },
  }
}

beforeEach(() => {
  asked = []
  root = temporaryFolder('rag-ladder-gpu-')
  mkdirSync(join(root, 'node_modules/@node-llama-cpp'), { recursive: true })
})

it('declares the builds of the version of node-llama-cpp that is installed', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  expect(dependencies['node-llama-cpp']).toBe(GPU_BUILDS_VERSION)
  for (const digest of Object.values(GPU_BUILDS)) expect(digest).toMatch(/^sha512-[\w+/]{86}==$/)
})

it('adds the chosen build after every installation, and fetches it once', () => {
  const { builds, pack } = registry()
  expect(addGpuBuild(root, LINUX, pack, builds)).toEqual([])
  chooseGpuBuild(root, 'vulkan')
  expect(addGpuBuild(root, LINUX, pack, builds)).toEqual(['linux-x64-vulkan'])
  expect(existsSync(join(root, 'node_modules/@node-llama-cpp/linux-x64-vulkan/package.json'))).toBe(true)
  expect(addGpuBuild(root, LINUX, pack, builds)).toEqual([])
  expect(asked).toEqual([`@node-llama-cpp/linux-x64-vulkan@${GPU_BUILDS_VERSION}`])
})

it('refuses other bytes than those that are declared, and leaves nothing of them', () => {
  const { builds, pack } = registry('sha512-other')
  chooseGpuBuild(root, 'vulkan')
  expect(() => addGpuBuild(root, LINUX, pack, builds)).toThrow(/linux-x64-vulkan.*not the declared/)
  expect(readdirSync(join(root, 'node_modules/@node-llama-cpp'))).toEqual([])
})

it('removes the build when none is wanted any more, and names what this system does not have', () => {
  const { builds, pack } = registry()
  chooseGpuBuild(root, 'vulkan')
  addGpuBuild(root, LINUX, pack, builds)
  chooseGpuBuild(root, 'off')
  addGpuBuild(root, LINUX, pack, builds)
  expect(readdirSync(join(root, 'node_modules/@node-llama-cpp'))).toEqual([])
  chooseGpuBuild(root, 'vulkan')
  expect(() => addGpuBuild(root, { platform: 'linux', arch: 'arm64' }, pack, builds)).toThrow(
    /no vulkan build for linux on arm64/,
  )
})
