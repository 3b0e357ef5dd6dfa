//! The page on the deliberate departures of opmx from the five proposals.

use clap_mangen::roff::{Roff, bold, roman};
use serde::Deserialize;
use std::io;

/// The data.
const FILE: &str = include_str!("departures.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposal {
    proposal: String,
    departures: Vec<Departure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Departure {
    subject: String,
    /// The requirement of the proposal.
    proposed: String,
    opmx: String,
    reason: String,
    /// A way to get the behavior that the proposal describes, such as an option.
    literal: Option<String>,
}

/// Returns the page opmx-departures(1).
pub(super) fn page() -> io::Result<Vec<u8>> {
    let proposals: Vec<Proposal> = serde_yaml::from_str(FILE).map_err(io::Error::other)?;
    let mut roff = Roff::new();
    let source = concat!("opmx ", env!("CARGO_PKG_VERSION"));
    roff.control("TH", ["opmx-departures", "1", "", source, "opmx manual"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman(
        "opmx-departures - deliberate departures of opmx from the proposals",
    )]);
    roff.control("SH", ["DESCRIPTION"]);
    roff.text([roman(
        "opmx implements five Operator Lifecycle Manager enhancement proposals. This page lists every \
         deliberate difference from them with its reason and, where possible, a way to get the behavior that the \
         proposal describes.",
    )]);
    for Proposal { proposal, departures } in proposals {
        roff.control("SH", [proposal.to_uppercase().as_str()]);
        for departure in departures {
            roff.control("SS", [departure.subject.as_str()]);
            let literal = departure
                .literal
                .as_deref()
                .map(|literal| ("To follow the proposal", literal));
            let parts = [
                ("Proposal", departure.proposed.as_str()),
                ("opmx", &departure.opmx),
                ("Reason", &departure.reason),
            ];
            for (name, text) in parts.into_iter().chain(literal) {
                roff.control("TP", []);
                roff.text([bold(name)]);
                roff.text([roman(text)]);
            }
        }
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman("opmx(1), opmx-rules(1)")]);
    let mut page = Vec::new();
    roff.to_writer(&mut page)?;
    Ok(page)
}
