use super::*;

/// Returns a problem without solutions: each of `pigeons` packages needs one of `holes` bundles, and no two packages
/// may use the same.
fn pigeons(pigeons: usize, holes: usize) -> (Instance, Vec<Demand>) {
    let count = pigeons * (holes + 1);
    let member = |pigeon: usize, hole: usize| pigeons + pigeon * holes + hole;
    let mut instance = Instance {
        needs: vec![Vec::new(); count],
        prohibited: vec![None; count],
        groups: vec![Vec::new(); count],
        conflicts: vec![Vec::new(); count],
        group_constraints: vec![0; holes],
        constraints: 1,
        ..Instance::default()
    };
    for pigeon in 0..pigeons {
        instance.needs[pigeon].push((pigeon, 0));
        instance
            .lists
            .push((0..holes).map(|hole| member(pigeon, hole)).collect());
        for hole in 0..holes {
            instance.groups[member(pigeon, hole)].push(hole);
        }
    }
    let demand = |pigeon| Demand {
        of: DemandOf::One(pigeon),
        constraint: Some(0),
    };
    (instance, (0..pigeons).map(demand).collect())
}

#[test]
fn comparisons_with_known_failures_count_as_steps() {
    let (instance, demands) = pigeons(7, 6);
    let enabled = Enabled::all(&instance);
    let mut steps = 1_000_000;
    let outcome = search(&instance, &demands, &enabled, &mut steps);
    assert_eq!(outcome, Outcome::Unsatisfiable(BTreeSet::from([0])));

    let count = instance.needs.len();
    let failures = 10_000;
    let mut search = Search {
        instance: &instance,
        enabled: &enabled,
        never: never(&instance, &enabled),
        level: vec![None; count],
        order: Vec::new(),
        queue: Vec::new(),
        frames: Vec::new(),
        holders: vec![None; instance.group_constraints.len()],
        failures: vec![vec![0, 1, 2]; failures],
        failures_with: vec![(0..failures).collect(); count],
        used: BTreeSet::new(),
    };
    let mut steps = 1_000;
    assert_eq!(search.obstacle(0, &mut steps), None);
    assert_eq!(steps, 1_000 - 2 * failures as u64 / LOOKUPS_OF_STEP);
    search.level[1] = Some(0);
    search.level[2] = Some(1);
    assert_eq!(search.obstacle(0, &mut steps), Some(vec![1, 2]));
}

#[test]
fn constraints_are_reduced_to_the_ones_that_cannot_be_satisfied_together() {
    // Constraint n demands variable n; variables 7 and 300 are in a group of which only one can be selected.
    let count = 600;
    let mut instance = Instance {
        needs: vec![Vec::new(); count],
        prohibited: vec![None; count],
        groups: vec![Vec::new(); count],
        conflicts: vec![Vec::new(); count],
        group_constraints: vec![count],
        constraints: count + 1,
        ..Instance::default()
    };
    instance.groups[7].push(0);
    instance.groups[300].push(0);
    let demands: Vec<Demand> = (0..count)
        .map(|variable| Demand {
            of: DemandOf::One(variable),
            constraint: Some(variable),
        })
        .collect();
    let order: Vec<ConstraintId> = (0..=count).collect();
    let mut steps = 1_000_000;
    let core = minimal(&instance, &demands, order.iter().copied().collect(), &order, &mut steps);
    assert_eq!(core, BTreeSet::from([7, 300, count]));
}
