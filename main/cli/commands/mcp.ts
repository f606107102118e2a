import { once } from 'node:events'
import packageFile from '../../../package.json' with { type: 'json' }
import { EXIT, flagOption, textOption, type Command } from '../command.ts'
import { artifactPlace, pickOptions, projectFolder, RUN_OPTIONS } from '../options.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  options: {
    ...pickOptions('project', 'model-set', 'gateway', 'platform'),
    results: { ...RUN_OPTIONS.results, description: 'folder with artifacts; the published one works too' },
    ask: { type: 'boolean', default: true, description: 'offer the tool ask, which calls the models of the project' },
  },
  async run(invocation) {
    const root = projectFolder(invocation)
    const place = artifactPlace(invocation)
    // The SDK is loaded by this command alone.
    const [{ serveStdio }, { toolServer }, { StoredResults }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../mcp/tools.ts'),
      import('../mcp/stored-results.ts'),
    ])
    const passed = ['model-set', 'gateway', 'platform'].flatMap((option) => {
      const value = textOption(invocation, option)
      return value === null ? [] : [`--${option}=${value}`]
    })
    const context = {
      version: packageFile.version,
      results: new StoredResults(place),
      env: invocation.env,
      options: [`--project=${root}`, ...passed],
      resultsDir: place.resultsDir,
      canAsk: flagOption(invocation, 'ask'),
    }
    const ended = once(process.stdin, 'end')
    const connection = serveStdio(() => toolServer(context), {
      onerror: ({ message }) => void invocation.stderr.write(`${message}\n`),
    })
    invocation.stderr.write(`MCP server on standard input and output; results of ${place.resultsDir}\n`)
    await ended
    await connection.close()
    return EXIT.ok
  },
}
