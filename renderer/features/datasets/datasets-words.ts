import { count, plural } from '../../components/format.ts'

/** The texts of the page Datasets. */
export const DATASETS_WORDS = {
  page: {
    datasets: 'Datasets',
    back: '‹ Datasets',
    noSuch: (id: string) => `There is no dataset ${id}`,
    noSuchAbout: 'It may have been removed: removed datasets are in the trash below.',
    view: 'View',
    questions: 'Questions',
    documents: 'Documents',
    graph: 'Graph',
    check: 'Check',
    askByVoice: 'Ask',
    datasetList: 'The list of datasets',
    questionFacts: (description: string, questions: number, withGold: number, unanswerable: number) =>
      `${description === '' ? '' : `${description.trimEnd()}${/[.!?]$/.test(description.trimEnd()) ? '' : '.'} `}${plural(questions, 'question')}, ${withGold} with gold facts, ${unanswerable} not answerable.`,
  },

  unusable: {
    title: (id: string) => `${id} cannot be used`,
    about: 'It is in no list and in no run. Repair the file; this page reads it again by itself.',
  },

  table: {
    title: 'Datasets',
    noneOwn: 'No dataset of yours yet',
    noneOwnAbout:
      'Make one, drop your documents into it and write a few questions; a run then shows which approach finds the answers. The datasets below come with the project.',
    search: 'Search datasets',
    hint: 'Open a dataset, or tick datasets to ask them in one run.',
    chosen: (datasets: number) => `${plural(datasets, 'dataset')} ticked`,
    found: (found: number, total: number) => `${found} of ${plural(total, 'dataset')}`,
    noneFound: (text: string) => `No dataset has “${text}” in its name or description.`,
    run: (datasets: number) => `New run on ${plural(datasets, 'dataset')}`,
    clear: 'Clear',
    tick: 'Tick',
    tickOf: (label: string) => `Tick ${label}`,
    noQuestionsToRun: (label: string) => `${label} has no questions to run`,
    name: 'Name',
    kind: 'Kind',
    own: 'yours',
    ofProject: 'project',
    documents: 'Documents',
    questions: 'Questions',
    withGold: (gold: number) => `${count(gold)} with gold facts`,
    level: 'Level',
    levelOf: (level: number) => `level ${level}`,
    state: 'State',
    lastRun: 'Last run',
    inRun: 'in a run now',
    noDocuments: 'needs documents',
    noQuestions: 'needs questions',
    ingested: 'ingested',
    notIngested: 'not ingested',
  },

  chunkedText: {
    chunk: (index: number, size: string) => `Chunk ${index}: ${size}`,
  },

  documentBrowser: {
    documentList: 'The list of documents',
    documents: 'Documents',
    noDocumentYet: 'No document yet',
    emptyAbout: 'Its folder holds no document that can be listed.',
    search: 'Search documents',
    all: (total: number) => plural(total, 'document'),
    found: (matching: number, total: number) => `${count(matching)} of ${plural(total, 'document')}`,
    showMore: (more: number) => `Show ${count(more)} more`,
  },

  documentText: {
    document: (path: string) => `Document ${path}`,
    notShown: 'This document is not shown: ',
    convertIt: 'Convert it',
    toSeeChunks: ' to see its text and chunks.',
    showChunks: 'Show chunks',
    factMissing: (id: string) => `▲ ${id}: this gold fact does not occur here: `,
    of: (text: string, total: number) => `${text} of ${plural(total, 'character')}`,
    showMore: (slice: string) => `Show ${slice} more`,
    cutting: 'Cutting the document; the first time starts the platform …',
    noChunks: (message: string) => `○ No chunks: ${message}`,
    chunkSizes: (total: number, strategy: string, size: string, overlap: string, profile: string) =>
      `${plural(total, 'chunk')}, ${strategy}, up to ${size}, overlap up to ${overlap} · profile ${profile}`,
    inTwoChunks: 'in two chunks',
    firstShown: (chunks: string) => `▲ the first ${chunks} are shown`,
  },

  questionList: {
    theQuestions: 'The questions',
    notAnswerable: ' · not answerable',
    expectedBest: ' · expected best: ',
    goldDocument: 'The whole document',
    factNotFound: ' ▲ not found in the document',
    notLookedFor: ' ○ a run converts this document before it looks for the fact',
    showMoreOf: (questions: string, total: string) => `Show more: ${questions} of ${total}`,
  },

  entityTable: {
    entities: 'Entities',
    entity: 'Entity',
    type: 'Type',
    relations: 'Relations',
    community: 'Community',
    description: 'Description',
  },

  graphCanvas: {
    cannotDraw: 'this browser cannot draw it',
    noWebGl: (failure: string) =>
      `▲ The drawing needs WebGL, which is not there (${failure}). The table holds the same graph.`,
    drawing: (nodes: number) => `Knowledge graph of ${nodes} entities; the table holds the same`,
  },

  graphView: {
    noGraphYet: 'No graph yet',
    otherDataset: 'The platform serves another dataset',
    unavailable: 'The graph is unavailable now',
    theLayout: 'The layout',
    loading: 'Loading',
    placingEntities: (nodes: string) => `Placing ${nodes} entities…`,
    theGraph: 'The graph',
    launchDataset: 'New run on this dataset',
    findAnEntity: 'Find an entity',
    entitiesShown: 'Entities shown',
    best: (each: number) => `top ${each}`,
    form: 'Form',
    drawing: 'Drawing',
    table: 'Table',
    onePart: 'component',
    separateParts: 'components',
    shownOf: (
      nodes: string,
      totalNodes: string,
      edges: string,
      totalEdges: string,
      communities: string,
      components: string,
      components2: string,
    ) =>
      `${nodes} of ${totalNodes} entities, ${edges} of ${totalEdges} relations, ${communities} communities, ${components} ${components2}`,
    notInPicture: 'This entity is not in the picture: show more of the graph.',
    entity: 'Entity',
    close: 'Close',
    community: (type: string, community: number, degree: number) =>
      `${type} · community ${community} · ${plural(degree, 'relation')}`,
    inThePicture: (relations: string) => `, ${relations} in the picture`,
    weight: (weight: number) => `weight ${weight}`,
    legend: 'Legend',
    smallerCommunities: 'smaller communities ',
    signs: 'colour: community · size: relations',
    layoutFailed: 'the layout of the graph could not be computed',
    layoutCancelled: 'the layout is no longer wanted',
  },
} as const
