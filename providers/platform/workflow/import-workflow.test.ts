import { describe, expect, it } from 'vitest'
import { importWorkflow } from './import-workflow.ts'
import { node, respond, set, webhook, workflow } from '../../../tests/helpers/sample-workflow.ts'
import { WorkflowImportError } from './workflow-error.ts'

const problemsOf = (file: unknown): readonly string[] => {
  try {
    importWorkflow(file)
  } catch (error) {
    if (error instanceof WorkflowImportError) return error.problems
    throw error
  }
  return []
}

describe('import', () => {
  it('takes a workflow and says how it is called', () => {
    const note = node('Note', 'stickyNote', 1, { content: '# why' })
    const imported = importWorkflow(
      workflow([webhook('answer'), respond('={{ $json.body }}'), note], { Webhook: [['Respond']] }),
    )
    expect(imported).toMatchObject({
      id: 'sample',
      active: true,
      trigger: { node: 'Webhook', method: 'POST', path: 'answer' },
    })
    expect([...imported.steps.keys()]).toEqual(['Webhook', 'Respond'])
  })

  it('names every node type, version, parameter, setting and expression that it does not have', () => {
    const nodes = [
      webhook(),
      node('Script', 'code', 2, { jsCode: 'return 1' }),
      node('Old', 'set', 1, {}),
      node('Signed', 'httpRequest', 4.2, { url: 'http://x', authentication: 'predefinedCredentialType' }),
      node('Again', 'httpRequest', 4.2, { url: 'http://x' }, { retryOnFail: true }),
      node('Lenient', 'httpRequest', 4.2, { url: 'http://x' }, { onError: 'continueRegularOutput' }),
      set('Clever', { a: '={{ $json.x.map(y => y) }}' }),
      respond('={{ $json }}'),
    ]
    expect(problemsOf(workflow(nodes, {}))).toEqual([
      "node 'Script': the node type 'n8n-nodes-base.code' is not supported",
      "node 'Old': version 1 of 'n8n-nodes-base.set' is not supported, 3.3 to 3.4 are",
      expect.stringMatching(/^node 'Signed': authentication: /),
      "node 'Again': the setting 'retryOnFail' is not supported",
      "node 'Lenient': the setting 'onError' is not supported",
      expect.stringMatching(/^node 'Clever': .*expression/),
    ])
  })

  it.each([
    ['no webhook', workflow([respond('={{ 1 }}')], {}), 'there are 0 webhooks, one is needed'],
    ['two webhooks', workflow([webhook(), { ...webhook(), name: 'Other' }], {}), 'there are 2 webhooks, one is needed'],
    [
      'a webhook without its id',
      workflow([{ ...webhook(), webhookId: undefined }], {}),
      "node 'Webhook': without a webhookId n8n registers it under another path",
    ],
    [
      'a wire to nowhere',
      workflow([webhook()], { Webhook: [['Gone']] }),
      "a connection names the node 'Gone', which does not exist",
    ],
    ['two nodes of one name', workflow([webhook(), set('A', {}), set('A', {})], {}), 'two nodes have the same name'],
  ])('refuses %s', (_what, file, problem) => {
    expect(problemsOf(file)).toContain(problem)
  })

  it.each([null, 1, [], {}, { nodes: 'x' }, { ...workflow([webhook()], {}), nodes: [] }])('refuses %j', (file) => {
    expect(problemsOf(file).length).toBeGreaterThan(0)
  })
})
